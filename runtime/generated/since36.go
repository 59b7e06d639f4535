//go:build !before36

package generated

import "k8s.io/client-go/tools/cache"

// identified is the part of a factory that has its identity.
type identified interface {
	InformerName() *cache.InformerName
}

func nameOf(f identified) *cache.InformerName { return f.InformerName() }
