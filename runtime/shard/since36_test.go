//go:build !before36

package shard

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/sharding"
)

// The hash is the hash of API servers.
func TestHash(t *testing.T) {
	for _, value := range []string{"", "a", "ns-0", "7f6bd1b9-6b1a-4d4c-8f0f-7d9f0c5a1b2e", "\x00\xff"} {
		if got := fmt.Sprintf("%016x", Hash(value)); got != sharding.HashField(value) {
			t.Errorf("hash of %q: got %s, want %s", value, got, sharding.HashField(value))
		}
	}
}
