//go:build !before36

package conformance_test

import (
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
)

// olderDefects36 are the defects of client-go before 0.36.
var olderDefects36 map[string]string

func withInformerName(options conformance.FactoryOptions) informers.SharedInformerOption {
	return informers.WithInformerName(options.InformerName)
}

func newClientGoIndexer(keyFunc cache.KeyFunc, indexers cache.Indexers, transform cache.TransformFunc) cache.Indexer {
	return cache.NewIndexer(keyFunc, indexers, cache.WithTransformer(transform))
}
