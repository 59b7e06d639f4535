package templates_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/templates"
)

// shop is a run over a namespaced type and one without, as a test changes them.
func shop(change ...func(run *templates.Run, types []*templates.Type)) *templates.Run {
	at := func(path, name string) templates.Import {
		return templates.Import{Path: "example.com/shop/" + path, Name: name, Dir: path}
	}
	run := &templates.Run{Informers: at("informers", "informers"), Listers: at("listers", ""), Clients: at("clients", "clients")}
	group := &templates.Group{Run: run, Name: "shop.example.com", GoName: "Shop", Dir: "shop", PackageName: "shop"}
	version := &templates.Version{Group: group, Name: "v1", GoName: "V1", Dir: "v1"}
	types := []*templates.Type{
		{
			Name: "Order", Kind: "Order", Ident: "Order", Private: "order", Plural: "Orders", Resource: "orders", Singular: "order",
			Doc: "Order is a purchase.", Namespaced: true, List: "OrderList",
			Verbs: []string{"create", "update", "updateStatus", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply", "applyStatus"},
		},
		{
			Name: "Warehouse", Kind: "Warehouse", Ident: "Warehouse", Private: "warehouse", Plural: "Warehouses", Resource: "warehouses", Singular: "warehouse",
			Verbs: []string{"get", "list"},
		},
	}
	for _, t := range types {
		t.Version, t.ClientAccessor, t.API = version, "ShopV1()", templates.Import{Path: "example.com/shop/api/v1", Name: "v1"}
		t.HasInformer, t.HasLister, t.HasClient = true, true, true
	}
	run.Groups, group.Versions, version.Types = []*templates.Group{group}, []*templates.Version{version}, types
	for _, change := range change {
		change(run, types)
	}
	return run
}

func minimal(run *templates.Run, _ []*templates.Type) { run.Minimal = true }

func withClientset(run *templates.Run, _ []*templates.Type) {
	run.Clientset = templates.Import{Path: "example.com/shop/clientset/versioned", Name: "versioned"}
}

// withIndexes gives the first type a lister with indexes, and the second one an informer with them.
func withIndexes(_ *templates.Run, types []*templates.Type) {
	types[0].Indexes, types[1].Indexes, types[1].HasLister = indexes(), indexes(), false
}

// runs have all that templates decide by.
func runs() map[string]*templates.Run {
	return map[string]*templates.Run{
		"all": shop(), "minimal": shop(minimal), "indexes": shop(withIndexes), "minimal indexes": shop(withIndexes, minimal),
		"clientset": shop(withClientset), "minimal clientset": shop(withClientset, minimal),
		"expansions": shop(minimal, func(_ *templates.Run, types []*templates.Type) { types[0].HasExpansion = true }),
	}
}

// filesOf returns the files that a template is rendered with for a run of one version, with the package of
// that version.
func filesOf(run *templates.Run, t *templates.Template) []*templates.File {
	group := run.Groups[0]
	version := group.Versions[0]
	switch t.Each {
	case "run":
		return []*templates.File{{Run: run, Package: "informers"}}
	case "group":
		return []*templates.File{{Run: run, Group: group, Package: "shop"}}
	case "version":
		return []*templates.File{{Run: run, Group: group, Version: version, Package: "v1"}}
	}
	var files []*templates.File
	for _, one := range version.Types {
		files = append(files, &templates.File{Run: run, Group: group, Version: version, Type: one, Package: "v1"})
	}
	return files
}

// sources are the files of all templates for a run, by path.
func sources(t *testing.T, run *templates.Run) map[string][]byte {
	t.Helper()
	found := map[string][]byte{}
	for _, tmpl := range templates.Own {
		for _, file := range filesOf(run, tmpl) {
			name, _, err := tmpl.FileName(file)
			if err == nil && name != "" {
				found[name], err = tmpl.Render(file)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return found
}

// indexes have every form of block, and every kind of key.
func indexes() []templates.Index {
	api := templates.Import{Path: "example.com/shop/api/v1", Name: "v1"}
	blocks := []string{"if obj.Spec != nil {", "for i := range obj.Spec.Items {", "for _, entry := range obj.Spec.Items[i].Sizes {"}
	return []templates.Index{
		{Method: "ByColour", Name: "byColour", Of: "ColourOf", Func: "ColourOf", Key: templates.GoType{Name: "string"}, KeyKind: templates.StringKey},
		{Method: "ByCount", Name: "byCount", Of: "Spec.Count", Value: "obj.Spec.Count", Key: templates.GoType{Name: "uint32"}, KeyKind: templates.UintKey},
		{Method: "ByPaid", Name: "byPaid", Of: "Spec.Paid", Value: "obj.Spec.Paid", Key: templates.GoType{Name: "bool"}, KeyKind: templates.BoolKey},
		{Method: "ByPhase", Name: "byPhase", Of: "Status.Phase", Value: "obj.Status.Phase", Key: templates.GoType{Package: api, Name: "Phase"}, KeyKind: templates.StringKey},
		{Method: "BySize", Name: "bySize", Of: "Spec.Items.Sizes.Size", Several: true, Blocks: blocks, Value: "entry.Size", Key: templates.GoType{Name: "int32"}, KeyKind: templates.IntKey},
	}
}

// deepCopies has steps with and without a call.
func deepCopies() *templates.File {
	return &templates.File{Package: "slim", Copies: []templates.DeepCopy{{
		Name: "Order", Into: true, Copy: true, Object: true, Steps: []templates.CopyStep{
			{Line: "in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)"},
			{Line: "out.Items = ", Clone: "slices", Of: "in.Items"},
			{Line: "for i := range in.Items {"},
			{Line: "in.Items[i].DeepCopyInto(&out.Items[i])"},
			{Line: "}"},
			{Line: "out.Names = ", Clone: "maps", Of: "in.Names"},
		},
	}}}
}

func TestEveryTemplateGivesGo(t *testing.T) {
	t.Parallel()
	check := func(t *testing.T, name string, source []byte) {
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
		if err != nil {
			t.Fatalf("%v\n%s", err, source)
		}
		if _, err := format.Source(source); err != nil {
			t.Error(err)
		}
		for _, decl := range file.Decls {
			checkDocumented(t, decl)
		}
	}
	rendered := map[string]bool{}
	for name, run := range runs() {
		t.Run(name, func(t *testing.T) {
			for name, source := range sources(t, run) {
				check(t, name, source)
			}
		})
		for _, tmpl := range templates.Own {
			for _, file := range filesOf(run, tmpl) {
				if path, _, err := tmpl.FileName(file); err == nil && path != "" {
					rendered[tmpl.Name] = true
				}
			}
		}
	}
	if len(rendered) != len(templates.Own) {
		t.Errorf("of %d templates, %d gave a file", len(templates.Own), len(rendered))
	}
	source, err := templates.DeepCopies.Render(deepCopies())
	if err != nil {
		t.Fatal(err)
	}
	check(t, "deep copies", source)
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

func TestNoArticleBeforeAName(t *testing.T) {
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

// Generated code calls the runtime by the names of the table only, so this test holds the two halves
// together.
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
	run := shop(func(_ *templates.Run, types []*templates.Type) {
		types[0].API = templates.Import{Path: "example.com/cache/api/v1", Name: "cache"}
		types[0].HasExpansion = true
	}, minimal)
	source := sources(t, run)["listers/shop/v1/order.go"]
	want := []string{
		`cache "example.com/cache/api/v1"`,
		`"github.com/informer-gen/informer-gen/runtime/clientgo/listers"`,
		`"k8s.io/apimachinery/pkg/runtime/schema"`,
		`toolscache "k8s.io/client-go/tools/cache"`,
	}
	if diff := cmp.Diff(want, importsOf(t, source)); diff != "" {
		t.Error(diff)
	}
}

// importsOf are the imports of a source, as they are written.
func importsOf(t *testing.T, source []byte) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	var got []string
	for _, spec := range file.Imports {
		name := ""
		if spec.Name != nil {
			name = spec.Name.Name + " "
		}
		got = append(got, name+spec.Path.Value)
	}
	return got
}

// An import whose name a file has for something else as well gets another name, and one whose
// name is a method or field keeps it.
func TestNoImportIsHidden(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"func f(%s string) { %s.Get() }":            `examplecomtaken "example.com/taken"`,
		"func f() { var %s, _ = %s.Get() }":         `examplecomtaken "example.com/taken"`,
		"func f() { x.%s(%s.Get()) }":               `taken "example.com/taken"`,
		"type T struct{ %s int; other %s.Type }":    `examplecomtaken "example.com/taken"`,
		"func f() { return %s.Get() } // %s":        `taken "example.com/taken"`,
		"func f() { return \"%s\" + %s.Get() }":     `taken "example.com/taken"`,
		"func %s() {}; func g() { %s.Get() }":       `examplecomtaken "example.com/taken"`,
		"func f() { %[1]s:; go %[2]s.Get() }":       `examplecomtaken "example.com/taken"`,
		"type T struct{ other.%s }; var x = %s.Get": `taken "example.com/taken"`,
	} {
		text := strings.NewReplacer("%s.Get", `{{.Use "example.com/taken.Get"}}`, "%s.Type", `{{.Use "example.com/taken.Type"}}`, "%[2]s.Get", `{{.Use "example.com/taken.Get"}}`,
			"%[1]s", "taken", "%s", "taken").Replace(body)
		all, err := templates.Parse(fstest.MapFS{"a.go.tmpl": {Data: []byte("{{/* informer-gen: for each run; file a.go */}}" + text)}}, "")
		if err != nil {
			t.Fatal(err)
		}
		source, err := all[0].Render(&templates.File{Run: shop(), Package: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(importsOf(t, source)); got != "["+want+"]" {
			t.Errorf("%s: imports %s, want %s", body, got, want)
		}
	}
}

// Whatever the API package is called, no name in a file hides it.
func TestNoPackageIsHidden(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"client", "namespace", "options", "f", "obj", "resyncPeriod", "indexer", "string", "nil", "append", "scope", "version", "groups", "init", "func"} {
		run := shop(func(_ *templates.Run, types []*templates.Type) {
			for _, of := range types {
				of.API.Name = name
			}
		})
		for path, source := range sources(t, run) {
			for _, spec := range importsOf(t, source) {
				alias, isAlias := strings.CutSuffix(spec, ` "example.com/shop/api/v1"`)
				if !isAlias {
					continue
				}
				bare := regexp.MustCompile(`(^|[^.\w"])` + alias + `([^.\w]|$)`).Find(body(source))
				if bare != nil || token.IsKeyword(alias) || alias == "init" {
					t.Errorf("%s: %s is imported, and hidden", path, alias)
				}
			}
		}
	}
}

// body returns the part of a source behind its imports, without comments.
func body(source []byte) []byte {
	_, body, _ := bytes.Cut(source, []byte("\n)\n"))
	return regexp.MustCompile(`//.*`).ReplaceAll(body, nil)
}
