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
		{Type: templates.Type{Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", HasInformer: true, HasLister: true, Namespaced: true}},
		{Type: templates.Type{Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", HasInformer: true, HasLister: true}},
		{Type: templates.Type{Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", HasInformer: true}},
	} {
		kind.API = templates.Import{Path: "example.com/shop/api/v1", Name: "v1"}
		run := &templates.Run{Informers: templates.Import{Path: "example.com/informers"}, Listers: templates.Import{Path: "example.com/listers"}}
		group := &templates.Group{Run: run}
		version := &templates.Version{Group: group, Types: []*templates.Type{&kind.Type}}
		run.Groups, group.Versions, kind.Version = []*templates.Group{group}, []*templates.Version{version}, version
		informers, listers := kind.Identifiers()
		got := declared(t, run, "version.go.tmpl", "constructors.go.tmpl", "informer.go.tmpl")
		if diff := cmp.Diff(sortedNames(informers, collect.OwnIdentifiers), got); diff != "" {
			t.Errorf("informers: %s", diff)
		}
		if !kind.HasLister {
			continue
		}
		got = declared(t, run, "lister.go.tmpl", "expansions.go.tmpl")
		if diff := cmp.Diff(sortedNames(listers), got); diff != "" {
			t.Errorf("listers: %s", diff)
		}
	}
}

func sortedNames(lists ...[]string) []string {
	return slices.Sorted(slices.Values(slices.Concat(lists...)))
}

// declared are the package-level names of the files that templates give.
func declared(t *testing.T, run *templates.Run, files ...string) []string {
	t.Helper()
	var names []string
	for _, tmpl := range templates.Own {
		if !slices.Contains(files, tmpl.Name) {
			continue
		}
		data := things(run, tmpl.Each)[0]
		data.Package = "p"
		source, err := tmpl.Render(data)
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
