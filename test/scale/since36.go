//go:build !before36

package main

import "k8s.io/apiserver/pkg/sharding"

// sharded returns the filter of objects that a shard selector is to an API server.
func sharded(text string) (func(object) bool, error) {
	selector, err := sharding.Parse(text)
	if err != nil {
		return nil, err
	}
	return func(o object) bool {
		matches, err := selector.Matches(o)
		return matches && err == nil
	}, nil
}
