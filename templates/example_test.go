package templates_test

import (
	"fmt"
	"go/format"
	"log"
	"testing/fstest"

	"github.com/informer-gen/informer-gen/templates"
)

// A user's template is rendered with the same data as the templates of this package.
func Example() {
	folder := fstest.MapFS{"key.go.tmpl": {Data: []byte(`{{- /* informer-gen: for each type; file {{.Version.Informers.Dir}}/{{lower .Type.Ident}}_key.go */ -}}
// {{.Type.Ident}}Key returns the key of one of the {{.Type.Plural}}.
func {{.Type.Ident}}Key(obj *{{.Ref .Type.API .Type.Name}}) (string, error) {
	return {{.Use "k8s.io/client-go/tools/cache.MetaNamespaceKeyFunc"}}(obj)
}
`)}}
	all, err := templates.Parse(folder, "templates/")
	if err != nil {
		log.Fatal(err)
	}
	run := shop()
	group := run.Groups[0]
	version := group.Versions[0]
	file := &templates.File{Run: run, Group: group, Version: version, Type: version.Types[0], Package: "v1"}
	name, _, err := all[0].FileName(file)
	if err != nil {
		log.Fatal(err)
	}
	source, err := all[0].Render(file)
	if err != nil {
		log.Fatal(err)
	}
	if source, err = format.Source(source); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s:\n%s", name, source)
	// Output:
	// informers/shop/v1/order_key.go:
	// package v1
	//
	// import (
	// 	v1 "example.com/shop/api/v1"
	// 	"k8s.io/client-go/tools/cache"
	// )
	//
	// // OrderKey returns the key of one of the Orders.
	// func OrderKey(obj *v1.Order) (string, error) {
	// 	return cache.MetaNamespaceKeyFunc(obj)
	// }
}
