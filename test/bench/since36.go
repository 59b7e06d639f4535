//go:build !before36

package main

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/sharding"
)

// sharded returns the filter of pods that a shard selector is to an API server.
func sharded(text string) (func(runtime.Object) bool, error) {
	selector, err := sharding.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(o runtime.Object) bool {
		matches, err := selector.Matches(o)
		return matches && err == nil
	}, nil
}
