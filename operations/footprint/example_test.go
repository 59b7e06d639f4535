//go:build !386 && !arm && !mips && !mipsle

package footprint_test // the sizes are those of pointers of 8 bytes

import (
	"fmt"
	"slices"

	"github.com/informer-gen/informer-gen/operations/footprint"
)

func ExampleOf() {
	type object struct {
		Name string   `json:"name"`
		Tags []string `json:"tags"`
	}
	tags := []string{"red", "green"} // of both
	report := footprint.Of(slices.Values([]*object{{"first", tags}, {"second", tags}}))
	fmt.Println(report)
	fmt.Println("shared:", report.Shared)
	// Output:
	// 2 objects, 144 B: . 80 B, .tags 48 B, .name 16 B
	// shared: 48
}
