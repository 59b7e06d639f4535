package conformance_test

import (
	"fmt"
	"strings"

	"k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
)

// An implementation is described once. Run tests it, and expects that a known defect
// fails; Table documents the results, of which this is one about indexes.
func ExampleTable() {
	mine := conformance.Implementation{
		Name: "mine",
		NewIndexer: func(key cache.KeyFunc, indexers cache.Indexers, _ cache.TransformFunc) cache.Indexer {
			return cache.NewIndexer(key, indexers)
		},
		Defects: map[string]string{"S2": "panics when an index function fails"},
		Skip:    map[string]string{"Q": "has no queues"},
	}
	// func TestConformance(t *testing.T) { conformance.Run(t, mine) }
	table := conformance.Table(mine)
	_, table, _ = strings.Cut(table, "\n**S2** ")
	table, _, _ = strings.Cut(table, "\n**S3** ")
	fmt.Println(table)
	// Output:
	// An index function that fails concerns its index and object only.
	//
	// | case | mine |
	// |---|---|
	// | an object that an index function fails for is stored, and left out of that index | fails: panics when an index function fails |
}
