//go:build before36

package generated

import "github.com/informer-gen/informer-gen/runtime/clientgo/cache"

// identified is a factory. Factories of this module have a name for their informers' metrics.
type identified any

type named interface {
	InformerName() *cache.InformerName
}

func nameOf(f identified) *cache.InformerName {
	if f, ok := f.(named); ok {
		return f.InformerName()
	}
	return nil
}
