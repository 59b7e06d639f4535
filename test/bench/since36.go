//go:build !before36

package main

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apiserver/pkg/sharding"
)

// sharded returns the filter of pods that a shard selector is to an API server.
func sharded(text string) (func(*v1.Pod) bool, error) {
	selector, err := sharding.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(o *v1.Pod) bool {
		matches, err := selector.Matches(o)
		return matches && err == nil
	}, nil
}
