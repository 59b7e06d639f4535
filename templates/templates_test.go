package templates_test

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/templates"
)

func samples(client templates.Client) map[string]templates.Data {
	internal := templates.Import{Path: "example.com/shop/informers/internalinterfaces", Name: "internalinterfaces"}
	listers := templates.Import{Path: "example.com/shop/listers/shop/v1", Name: "v1"}
	group := templates.Import{Path: "example.com/shop/informers/shop", Name: "shop"}
	version := templates.Import{Path: "example.com/shop/informers/shop/v1", Name: "v1"}
	order := templates.Kind{
		Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", Resource: "orders", Singular: "order", ClientAccessor: "ShopV1()", Doc: "Order is a purchase.", Namespaced: true, HasLister: true, List: "OrderList",
		Verbs: []string{"create", "update", "updateStatus", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply", "applyStatus"},
		API:   templates.Import{Path: "example.com/shop/api/v1", Name: "v1"},
	}
	warehouse := order
	warehouse.Name, warehouse.Ident, warehouse.Private, warehouse.Plural, warehouse.Resource, warehouse.Singular, warehouse.Namespaced = "Warehouse", "Warehouse", "warehouse", "Warehouses", "warehouses", "warehouse", false
	warehouse.List, warehouse.Verbs = "", []string{"get", "list"}
	kinds := []templates.Kind{order, warehouse}
	indexed, indexedAlone := order, warehouse
	indexed.Indexes, indexedAlone.Indexes, indexedAlone.OwnIndexes = indexes(), indexes(), true
	v := templates.Version{File: templates.File{Package: "v1"}, Group: "shop.example.com", Version: "v1", Client: client, Internal: internal, Listers: listers, Kinds: kinds}
	constructors := templates.Constructors(v)
	indexedVersion := v
	indexedVersion.Kinds = []templates.Kind{indexed, indexedAlone}
	minimal := v
	minimal.Minimal = true
	return map[string]templates.Data{
		"factory": &templates.Factory{
			File: templates.File{Package: "informers"}, Client: client, Internal: internal,
			Groups: []templates.GroupAccessor{{Name: "Shop", Group: "shop.example.com", Package: group}},
		},
		"minimal factory": &templates.Factory{
			File: templates.File{Package: "informers"}, Client: client, Minimal: true,
			Groups: []templates.GroupAccessor{{Name: "Shop", Group: "shop.example.com", Package: group}},
		},
		"minimal group": &templates.Group{
			File: templates.File{Package: "shop"}, Group: "shop.example.com", Client: client, Minimal: true,
			Versions: []templates.VersionAccessor{{Name: "V1", Package: version}},
		},
		"minimal version":  &minimal,
		"minimal informer": &templates.Informer{File: templates.File{Package: "v1"}, Kind: order, Listers: listers, Minimal: true},
		"minimal lister":   &templates.Lister{File: templates.File{Package: "v1"}, Kind: order, Group: "shop.example.com"},
		"generic": &templates.Generic{
			File: templates.File{Package: "informers"},
			Versions: []templates.GenericVersion{{
				Group: "shop.example.com", Version: "v1", Accessor: "Shop().V1()",
				Resources: []templates.GenericResource{{Name: "orders", Accessor: "Orders"}},
			}},
		},
		"internalinterfaces": &templates.InternalInterfaces{File: templates.File{Package: "internalinterfaces"}, Client: client},
		"group": &templates.Group{
			File: templates.File{Package: "shop"}, Group: "shop.example.com", Internal: internal,
			Versions: []templates.VersionAccessor{{Name: "V1", Package: version}},
		},
		"version":               &v,
		"constructors":          &constructors,
		"informer":              &templates.Informer{File: templates.File{Package: "v1"}, Kind: order, Listers: listers},
		"cluster":               &templates.Informer{File: templates.File{Package: "v1"}, Kind: warehouse, Listers: listers},
		"lister":                &templates.Lister{File: templates.File{Package: "v1"}, Kind: order, Group: "shop.example.com", Expanded: true},
		"version with indexes":  &indexedVersion,
		"lister with indexes":   &templates.Lister{File: templates.File{Package: "v1"}, Kind: indexed, Group: "shop.example.com", Expanded: true},
		"informer with indexes": &templates.Informer{File: templates.File{Package: "v1"}, Kind: indexedAlone},
		"clients": &templates.Clients{
			File: templates.File{Package: "clients"}, Groups: []templates.GroupAccessor{{Name: "Shop", Group: "shop.example.com", Package: group}},
		},
		"clientsgroup": &templates.ClientsGroup{
			File: templates.File{Package: "shop"}, Group: "shop.example.com", Versions: []templates.VersionAccessor{{Name: "V1", Package: version}},
		},
		"clientsversion":  &templates.ClientsVersion{File: templates.File{Package: "v1"}, Group: "shop.example.com", Version: "v1", Kinds: kinds},
		"client":          &templates.KindClient{File: templates.File{Package: "v1"}, Kind: order},
		"readonly client": &templates.KindClient{File: templates.File{Package: "v1"}, Kind: warehouse},
		"expansions":      &templates.Expansions{File: templates.File{Package: "v1"}, Kinds: kinds},
		"deepcopies":      deepCopies(),
	}
}

// indexes have every form of block, and every kind of key.
func indexes() []templates.Index {
	api := templates.Import{Path: "example.com/shop/api/v1", Name: "v1"}
	blocks := []templates.IndexBlock{
		{Form: templates.IndexPointer, Of: "obj.Spec"},
		{Form: templates.IndexElements, Of: "obj.Spec.Items", Variable: "i"},
		{Form: templates.IndexEntries, Of: "obj.Spec.Items[i].Sizes", Variable: "entry"},
	}
	return []templates.Index{
		{Method: "ByColour", Name: "byColour", Of: "ColourOf", Func: "ColourOf", Key: templates.GoType{Name: "string"}, KeyKind: templates.StringKey},
		{Method: "ByCount", Name: "byCount", Of: "Spec.Count", Value: "obj.Spec.Count", Key: templates.GoType{Name: "uint32"}, KeyKind: templates.UintKey},
		{Method: "ByPaid", Name: "byPaid", Of: "Spec.Paid", Value: "obj.Spec.Paid", Key: templates.GoType{Name: "bool"}, KeyKind: templates.BoolKey},
		{Method: "ByPhase", Name: "byPhase", Of: "Status.Phase", Value: "obj.Status.Phase", Key: templates.GoType{Package: api, Name: "Phase"}, KeyKind: templates.StringKey},
		{Method: "BySize", Name: "bySize", Of: "Spec.Items.Sizes.Size", Several: true, Blocks: blocks, Value: "entry.Size", Key: templates.GoType{Name: "int32"}, KeyKind: templates.IntKey},
	}
}

// deepCopies has every form of step.
func deepCopies() *templates.DeepCopies {
	return &templates.DeepCopies{File: templates.File{Package: "slim"}, Types: []templates.DeepCopy{{
		Name: "Order", Into: true, Copy: true, Object: true, Steps: []templates.CopyStep{
			{Form: templates.CopyInto, From: "in.ObjectMeta", To: "out.ObjectMeta"},
			{Form: templates.CopySlice, From: "in.Items", To: "out.Items"},
			{Form: templates.CopyElements, From: "in.Items", Key: "i"},
			{Form: templates.CopyPointer, From: "in.Items[i]", To: "out.Items[i]", Copied: "copied"},
			{Form: templates.CopyEnd},
			{Form: templates.CopyEnd},
			{Form: templates.CopyMap, From: "in.Names", To: "out.Names"},
			{Form: templates.CopyEntries, From: "in.Names", To: "out.Names", Key: "key", Value: "value", Copied: "copied"},
			{Form: templates.CopyEntriesEnd, From: "in.Names", To: "out.Names", Key: "key", Value: "value", Copied: "copied"},
		},
	}}}
}

func TestEveryTemplateGivesGo(t *testing.T) {
	t.Parallel()
	clients := map[string]templates.Client{
		"rest":      {},
		"clientset": {Clientset: templates.Import{Path: "example.com/shop/clientset/versioned", Name: "versioned"}},
	}
	for clientName, client := range clients {
		for name, data := range samples(client) {
			t.Run(clientName+"/"+name, func(t *testing.T) {
				source, err := templates.Render(data)
				if err != nil {
					t.Fatal(err)
				}
				file, err := parser.ParseFile(token.NewFileSet(), name+".go", source, parser.ParseComments)
				if err != nil {
					t.Fatalf("%v\n%s", err, source)
				}
				if _, err := format.Source(source); err != nil {
					t.Error(err)
				}
				for _, decl := range file.Decls {
					checkDocumented(t, decl)
				}
			})
		}
	}
}

// checkDocumented wants a comment on every exported declaration.
func checkDocumented(t *testing.T, decl ast.Decl) {
	t.Helper()
	switch decl := decl.(type) {
	case *ast.FuncDecl:
		if decl.Recv == nil && decl.Name.IsExported() && decl.Doc == nil {
			t.Errorf("%s: no doc comment", decl.Name.Name)
		}
	case *ast.GenDecl:
		if decl.Tok == token.TYPE && decl.Doc == nil && decl.Specs[0].(*ast.TypeSpec).Name.IsExported() {
			t.Errorf("%s: no doc comment", decl.Specs[0].(*ast.TypeSpec).Name.Name)
		}
	}
}

var article = regexp.MustCompile(`\b[Aa]n? \{\{.*`)

func TestTemplatesNameTheirData(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("*.go.tmpl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(string(text), "{{- /*gotype: github.com/informer-gen/informer-gen/templates.") {
			t.Errorf("%s: the first line does not name its data", name)
		}
		if found := article.Find(text); found != nil {
			t.Errorf("%s: %q: the article depends on the name", name, found)
		}
	}
}

// Each identifier of the table is used by a template, or it has no place there.
func TestIdentifiersAreUsed(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	sources, err := filepath.Glob("*.go*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range sources {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(content)
	}
	for _, library := range templates.Libraries {
		if !slices.IsSorted(library.Identifiers) {
			t.Errorf("%s: identifiers are not sorted", library.Path)
		}
		for _, identifier := range library.Identifiers {
			if !strings.Contains(text.String(), `Use "`+library.Name+"."+identifier+`"`) && !strings.Contains(text.String(), `Use("`+library.Name+"."+identifier+`")`) {
				t.Errorf("%s.%s: in the table, but no template uses it", library.Name, identifier)
			}
		}
	}
}

// Generated code calls the runtime by the names of the table only, so this test
// is what holds the two halves together.
func TestRuntimeHasTheIdentifiers(t *testing.T) {
	t.Parallel()
	for _, library := range templates.Libraries {
		folder, ok := strings.CutPrefix(library.Path, templates.RuntimeModule+"/")
		if !ok {
			continue
		}
		declared := exportedOf(t, filepath.Join("..", filepath.FromSlash(folder)))
		for _, identifier := range library.Identifiers {
			if !slices.Contains(declared, identifier) {
				t.Errorf("%s: no %s", library.Path, identifier)
			}
		}
	}
}

// exportedOf lists the exported package-level names of a folder.
func exportedOf(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	fset := token.NewFileSet()
	notTest := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Errorf("package: %v", err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(entry.Name()) != ".go" || !notTest(info) {
			continue
		}
		file, err := parser.ParseFile(fset, filepath.Join(folder, entry.Name()), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
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
						for _, name := range spec.Names {
							names = append(names, name.Name)
						}
					}
				}
			}
		}
	}
	return names
}

func TestImportsGetDistinctNames(t *testing.T) {
	t.Parallel()
	data := &templates.Lister{File: templates.File{Package: "v1", Reserved: map[string]bool{"apiv1": true}}, Kind: templates.Kind{
		Name: "Order", Ident: "Order", Private: "order", Plural: "Orders", Resource: "orders", Singular: "order", Namespaced: true,
		API: templates.Import{Path: "example.com/cache/api/v1", Name: "cache"},
	}}
	source, err := templates.Render(data)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, spec := range file.Imports {
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name + " "
		}
		got = append(got, name+spec.Path.Value)
	}
	want := []string{
		`cache "example.com/cache/api/v1"`,
		`"github.com/informer-gen/informer-gen/runtime/clientgo/listers"`,
		`"k8s.io/apimachinery/pkg/runtime/schema"`,
		`toolscache "k8s.io/client-go/tools/cache"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever a template declares within a function, and what Go declares and it
// uses, is in local, so that it hides no import and none hides it.
func TestNoImportIsHidden(t *testing.T) {
	t.Parallel()
	for _, client := range []templates.Client{{}, {Clientset: templates.Import{Path: "example.com/shop/clientset/versioned", Name: "versioned"}}} {
		for name, data := range samples(client) {
			if _, ok := data.(*templates.DeepCopies); ok {
				continue // the packages that they import are always the same
			}
			source, err := templates.Render(data)
			if err != nil {
				t.Fatal(err)
			}
			file, err := parser.ParseFile(token.NewFileSet(), name+".go", source, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(node ast.Node) bool {
				for _, ident := range locals(node) {
					if !templates.Local[ident.Name] {
						t.Errorf("%s: %s is not among the local names", name, ident.Name)
					}
				}
				return true
			})
		}
	}
}

// locals are the names that a node declares within a function, or the
// predeclared one that it is.
func locals(node ast.Node) []*ast.Ident {
	var idents []*ast.Ident
	switch node := node.(type) {
	case *ast.FuncDecl:
		if node.Recv != nil {
			idents = node.Recv.List[0].Names
		}
	case *ast.FuncType:
		for _, param := range node.Params.List {
			idents = append(idents, param.Names...)
		}
	case *ast.AssignStmt:
		for _, left := range node.Lhs {
			if ident, ok := left.(*ast.Ident); ok {
				idents = append(idents, ident)
			}
		}
	case *ast.Ident:
		if types.Universe.Lookup(node.Name) != nil {
			idents = []*ast.Ident{node}
		}
	}
	return idents
}
