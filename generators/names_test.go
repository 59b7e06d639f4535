package generators

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/templates"
)

// What a kind is said to declare is what is declared: kinds that have a name in
// common are found by it, and imports keep clear of it.
func TestIdentifiersAreThoseDeclared(t *testing.T) {
	t.Parallel()
	for _, kind := range []*collect.Kind{
		{Kind: templates.Kind{Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", HasLister: true, Namespaced: true}, Informer: true},
		{Kind: templates.Kind{Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", HasLister: true}, Informer: true},
		{Kind: templates.Kind{Name: "Order", Ident: "Order", Private: "order", Plural: "Orders"}, Informer: true},
	} {
		informers, listers := kind.Identifiers()
		file := templates.File{Package: "p"}
		version := templates.Version{File: file, Kinds: []templates.Kind{templateKind(kind)}}
		constructors := templates.Constructors(version)
		got := declared(t, &version, &constructors, &templates.Informer{File: file, Kind: templateKind(kind)})
		if diff := cmp.Diff(sortedNames(informers, collect.OwnIdentifiers), got); diff != "" {
			t.Errorf("informers: %s", diff)
		}
		if !kind.HasLister {
			continue
		}
		got = declared(t, &templates.Lister{File: file, Kind: templateKind(kind)}, &templates.Expansions{File: file, Kinds: version.Kinds})
		if diff := cmp.Diff(sortedNames(listers), got); diff != "" {
			t.Errorf("listers: %s", diff)
		}
	}
}

func sortedNames(lists ...[]string) []string {
	return slices.Sorted(slices.Values(slices.Concat(lists...)))
}

// declared are the package-level names of rendered files.
func declared(t *testing.T, files ...templates.Data) []string {
	t.Helper()
	var names []string
	for _, data := range files {
		source, err := templates.Render(data)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		for _, decl := range file.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				if decl.Recv == nil {
					names = append(names, decl.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					switch spec := spec.(type) {
					case *ast.TypeSpec:
						names = append(names, spec.Name.Name)
					case *ast.ValueSpec:
						names = append(names, spec.Names[0].Name)
					}
				}
			}
		}
	}
	return sortedNames(names)
}
