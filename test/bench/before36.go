//go:build before36

package main

import (
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
)

// sharded fails: API servers know no shard selectors.
func sharded(string) (func(runtime.Object) bool, error) {
	return nil, errors.New("shardSelector: API servers have it since Kubernetes 1.36")
}
