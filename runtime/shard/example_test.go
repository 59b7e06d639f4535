package shard_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// Each object is in one of three shards.
func Example() {
	pod := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "4f6bd1b9-6b1a-4d4c-8f0f-7d9f0c5a1b2e"}}
	for i := range 3 {
		ranges, err := shard.Of(i, 3)
		if err != nil {
			panic(err)
		}
		fmt.Println(i, shard.New(shard.UID, ranges).Has(pod))
	}
	// Output:
	// 0 false
	// 1 false
	// 2 true
}
