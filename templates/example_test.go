package templates_test

import (
	"fmt"
	"go/format"
	"log"

	"github.com/informer-gen/informer-gen/templates"
)

// A data struct has every name, and its template makes Go source of it.
func Example() {
	order := templates.Kind{Name: "Order", Ident: "Order", Private: "order", Namespaced: true, HasLister: true}
	source, err := templates.Render(&templates.Expansions{
		File:  templates.File{Package: "v1"},
		Kinds: []templates.Kind{order},
	})
	if err != nil {
		log.Fatal(err)
	}
	source, err = format.Source(source)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", source)
	// Output:
	// package v1
	//
	// // OrderListerExpansion stands for the methods that a hand-written file may add to OrderLister.
	// type OrderListerExpansion any
	//
	// // OrderNamespaceListerExpansion does the same for OrderNamespaceLister.
	// type OrderNamespaceListerExpansion any
}
