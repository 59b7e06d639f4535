//go:build before36

package main

import "errors"

// sharded fails: API servers know no shard selectors.
func sharded(string) (func(object) bool, error) {
	return nil, errors.New("shardSelector: API servers have it since Kubernetes 1.36")
}
