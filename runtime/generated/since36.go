//go:build !before36

package generated

import "k8s.io/client-go/tools/cache"

// identified is a factory that has a name for its informers' metrics.
type identified interface {
	InformerName() *cache.InformerName
}

func nameOf(f identified) *cache.InformerName { return f.InformerName() }
