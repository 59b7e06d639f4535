package generators_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/informer-gen/informer-gen/generators"
)

// A module with one API type, and the files that are generated for it.
func Example() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n", "api/v1/types.go": orders} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
	}

	result, err := generators.Run(context.Background(), generators.Options{Dir: dir, Patterns: []string{"./api/..."}})
	if err != nil {
		log.Fatal(err) // every problem of the input, with its position
	}
	for _, change := range result.Changes {
		fmt.Println(change.Kind, change.Path)
	}
	// Output:
	// create pkg/generated/informers/factory.go
	// create pkg/generated/informers/generic.go
	// create pkg/generated/informers/internalinterfaces/factory_interfaces.go
	// create pkg/generated/informers/shop/interface.go
	// create pkg/generated/informers/shop/v1/constructors.go
	// create pkg/generated/informers/shop/v1/interface.go
	// create pkg/generated/informers/shop/v1/order.go
	// create pkg/generated/listers/shop/v1/expansion_generated.go
	// create pkg/generated/listers/shop/v1/order.go
}

const orders = `// +groupName=shop.example.com
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Order is a purchase.
// +genclient
type Order struct {
	metav1.TypeMeta   "json:\",inline\""
	metav1.ObjectMeta "json:\"metadata\""
}

func (o *Order) DeepCopyObject() runtime.Object { copied := *o; return &copied }
`
