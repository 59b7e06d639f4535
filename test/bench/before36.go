//go:build before36

package main

import (
	"errors"

	v1 "k8s.io/api/core/v1"
)

// sharded fails: API servers know no shard selectors.
func sharded(string) (func(*v1.Pod) bool, error) {
	return nil, errors.New("shardSelector: API servers have it since Kubernetes 1.36")
}
