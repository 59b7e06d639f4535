package generators

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// withTemplates adds templates to a project, by their names below its root.
func withTemplates(t *testing.T, options Options, files map[string]string) Options {
	t.Helper()
	for name, text := range files {
		writeFile(t, filepath.Join(options.Dir, name), text)
	}
	options.Templates = []string{"tmpl"}
	return options
}

// Whatever is wrong with a template is said with its file and line, the type that it was rendered
// for and what was found, and nothing is written.
func TestAwkwardTemplates(t *testing.T) {
	t.Parallel()
	const (
		ofType    = "{{- /* informer-gen: for each type; file {{.Version.Informers.Dir}}/{{lower .Type.Ident}}_extra.go */ -}}\n"
		ofRun     = "{{- /* informer-gen: for each run; file /out/types.md */ -}}\n{{.Generated}}\n"
		beside    = "{{- /* informer-gen: for each type; file /api/v1/extra.go */ -}}\n"
		order     = ", for example.com/shop/api/v1.Order"
		firstLine = "template: the first line does not say what it is for; begin with {{/* informer-gen: for each type; file DIRECTORY/{{.Type.FileName}} */}}, or give it a name with _ if others include it"
	)
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no directory": {nil, "templates: tmpl: is no directory; name one that has files *.tmpl"},
		"a file":       {map[string]string{"tmpl": "text"}, "templates: tmpl: is no directory; name one that has files *.tmpl"},
		"no template":  {map[string]string{"tmpl/a.go": "package a\n"}, "tmpl: templates: has no template; add a file such as controller.go.tmpl, or leave out --templates"},
		"only parts":   {map[string]string{"tmpl/_a.tmpl": "text"}, "tmpl: templates: has no template; add a file such as controller.go.tmpl, or leave out --templates"},

		"no first line":        {map[string]string{"tmpl/a.go.tmpl": "package a\n"}, "tmpl/a.go.tmpl:1: " + firstLine},
		"first line misspelt":  {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for every type; file x.go */}}"}, "tmpl/a.go.tmpl:1: " + firstLine},
		"empty":                {map[string]string{"tmpl/a.go.tmpl": ""}, "tmpl/a.go.tmpl:1: " + firstLine},
		"for each what":        {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each kind; file x.go */}}"}, "tmpl/a.go.tmpl:1: template: for each kind: is none of type, version, group, run"},
		"does not parse":       {map[string]string{"tmpl/a.go.tmpl": ofType + "{{if .Type}}\n"}, "tmpl/a.go.tmpl:3: template: unexpected EOF"},
		"unknown function":     {map[string]string{"tmpl/a.go.tmpl": ofType + "\n{{title .Type.Name}}\n"}, `tmpl/a.go.tmpl:3: template: function "title" not defined`},
		"path does not parse":  {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each type; file {{.Type.Name.go */}}"}, "tmpl/a.go.tmpl:1: template: "},
		"path of nothing":      {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each run; file {{.Run.Nope}}.go */}}"}, "tmpl/a.go.tmpl:1: template: <.Run.Nope>: can't evaluate field Nope in type *templates.Run"},
		"a field of nothing":   {map[string]string{"tmpl/a.go.tmpl": ofType + "// {{.Type.Nope}}\n"}, "tmpl/a.go.tmpl:2:11: template: <.Type.Nope>: can't evaluate field Nope in type *templates.Type" + order},
		"no type":              {map[string]string{"tmpl/a.md.tmpl": ofRun + "{{.Type.Name}}\n"}, "tmpl/a.md.tmpl:3:8: template: <.Type.Name>: nil pointer evaluating *templates.Type.Name; a template for each run has no smaller things"},
		"no type for a method": {map[string]string{"tmpl/a.md.tmpl": ofRun + "{{.Type.FileName}}\n"}, "tmpl/a.md.tmpl:3:8: template: <.Type.FileName>: error calling FileName: runtime error: invalid memory address or nil pointer dereference; a template for each run has no smaller things"},
		"an index":             {map[string]string{"tmpl/a.md.tmpl": ofRun + "{{index .Run.Groups 5}}\n"}, "tmpl/a.md.tmpl:3:3: template: <index .Run.Groups 5>: error calling index: index out of range: 5"},
		"no such part":         {map[string]string{"tmpl/a.go.tmpl": ofType + `{{template "_part.tmpl" .}}`}, `tmpl/a.go.tmpl:2:12: template: <{{template "_part.tmpl" .}}>: template "_part.tmpl" not defined` + order},
		"a part of itself":     {map[string]string{"tmpl/a.go.tmpl": ofType + `{{template "_part.tmpl" .}}`, "tmpl/_part.tmpl": `{{template "_part.tmpl" .}}`}, "tmpl/_part.tmpl:1:12: template: "},
		"no import path":       {map[string]string{"tmpl/a.go.tmpl": ofType + `var _ {{.Use "Config"}}`}, `tmpl/a.go.tmpl:2:9: template: <.Use>: error calling Use: "Config" is no import path and identifier, such as k8s.io/client-go/rest.Config` + order},
		"not of the table":     {map[string]string{"tmpl/a.go.tmpl": ofType + `var _ {{.Use "watch.Event"}}`}, `"watch.Event" is not among Interface of the table of identifiers; name its package by the whole import path` + order},

		"not Go":           {map[string]string{"tmpl/a.go.tmpl": ofType + "// A comment.\n{{if true}}\ntype {{.Type.Ident}}Extra strct {\n{{end}}\n"}, `tmpl/a.go.tmpl:4: template: renders what is not Go: expected ';', found '{': "type OrderExtra strct {"` + order},
		"not Go in a part": {map[string]string{"tmpl/a.go.tmpl": ofType + `{{template "_part.tmpl" .}}`, "tmpl/_part.tmpl": "\nfunc {\n"}, `tmpl/_part.tmpl:2: template: renders what is not Go: expected 'IDENT', found '{': "func {"` + order},
		"a package clause": {map[string]string{"tmpl/a.go.tmpl": ofType + "package v1\n"}, `tmpl/a.go.tmpl:2: template: renders what is not Go: expected declaration, found 'package': "package v1"` + order},
		"no package name":  {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each run; package my-types; file /x/x.go */}}"}, `tmpl/a.go.tmpl:1: file: x/x.go: package "my-types" is no name of a package`},
		"another package":  {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each run; package v2; file /api/v1/x.go */}}"}, `tmpl/a.go.tmpl:1: file: api/v1/x.go: is in package v2, but other files of its directory are in v1; write "package v1; file …" in the first line, or give it another directory`},
		"no sentence":      {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /x.md */}}text"}, "tmpl/a.md.tmpl:1: template: its files can't be told from others; write {{.Generated}} in a comment that is a line of its own"},

		"a directory of that name": {map[string]string{"tmpl/a.md.tmpl": ofRun, "tmpl/x.tmpl/y": ""}, "tmpl/x.tmpl:1: template: is no regular file; give it another name, or remove it"},
		"package behind the path":  {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each run; file /x/x.go; package y */}}"}, "tmpl/a.go.tmpl:1: template: the package stands behind the path; write it before: package NAME; file PATH"},
		"no package in the data":   {map[string]string{"tmpl/a.go.tmpl": ofType + `var _ {{.Ref .Run.Clientset "Interface"}}`}, "tmpl/a.go.tmpl:2:9: template: <.Ref>: error calling Ref: Interface: there is no such package here" + order},
		"no identifier":            {map[string]string{"tmpl/a.go.tmpl": ofType + `var _ {{.Ref .Type.API ""}}`}, `error calling Ref: example.com/shop/api/v1: "" is no identifier` + order},
		"a relative import path":   {map[string]string{"tmpl/a.go.tmpl": ofType + `var _ {{.Use "../x.D"}}`}, `error calling Use: "../x" is no import path` + order},
		"not Go, but not ASCII":    {map[string]string{"tmpl/a.go.tmpl": ofType + "var x = \"日\" y\n\n"}, `tmpl/a.go.tmpl:2: template: renders what is not Go`},
		"not Go at its end":        {map[string]string{"tmpl/a.go.tmpl": ofType + "func f() {\n"}, "tmpl/a.go.tmpl:2: template: renders what is not Go"},
		"not Go, elsewhere":        {map[string]string{"tmpl/a.go.tmpl": ofType + "//line foo.go:100\nfunc f( {}\n"}, `tmpl/a.go.tmpl:3: template: renders what is not Go: expected ')', found '{': "func f( {}"` + order},
		"package _":                {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each run; package _; file /x/x.go */}}"}, `tmpl/a.go.tmpl:1: file: x/x.go: package "_" is no name of a package`},
		"no import path of a file": {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each run; file /my dir/x.go */}}"}, `tmpl/a.go.tmpl:1: file: my dir/x.go: "example.com/shop/my dir" is no import path; choose another directory`},
		"a path with a line":       {map[string]string{"tmpl/a.md.tmpl": `{{/* informer-gen: for each run; file /x{{"\n"}}y.md */}}`}, `tmpl/a.md.tmpl:1: file: x\ny.md: has control characters, or is not UTF-8`},
		"a path that ends with /":  {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /x/ */}}"}, "tmpl/a.md.tmpl:1: file: x: is a directory; name a file"},
		"a path of git's":          {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /.git/hooks/post-commit */}}"}, "tmpl/a.md.tmpl:1: file: .git/hooks/post-commit: is git's; choose another directory"},
		"the list of files":        {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file informers/templates.txt */}}"}, "tmpl/a.md.tmpl:1: file: pkg/generated/informers/templates.txt: lists the files of all templates; choose another name"},
		"another module":           {map[string]string{"nested/go.mod": "module example.com/nested\n", "tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /nested/a.md */}}"}, "tmpl/a.md.tmpl:1: file: nested/a.md: nested: is outside of module example.com/shop, in which the informers are; choose another directory"},
		"among the templates":      {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /tmpl/b.md.tmpl */}}"}, "tmpl/a.md.tmpl:1: file: tmpl/b.md.tmpl: is among the templates; choose another directory"},
		"a quotation by hand":      {map[string]string{"out/types.md": "Files say \"Code generated by informer-gen from a.md.tmpl. DO NOT EDIT.\"\n", "tmpl/a.md.tmpl": ofRun}, "tmpl/a.md.tmpl:1: file: out/types.md: was not written by this tool; move it away, or give the template another path"},
		"of another generator":     {map[string]string{"api/v1/zz.go": "// Code generated by a tool. DO NOT EDIT.\n\npackage v1\n", "tmpl/a.go.tmpl": "{{/* informer-gen: for each run; file /api/v1/zz.go */}}"}, "tmpl/a.go.tmpl:1: file: api/v1/zz.go: was not written by this tool; move it away, or give the template another path"},
		"one path of two":          {map[string]string{"tmpl/a.md.tmpl": ofRun, "tmpl/b.md.tmpl": ofRun}, "tmpl/b.md.tmpl:1: file: out/types.md: is what tmpl/a.md.tmpl gives; give each a path of its own"},
		"one path but for case":    {map[string]string{"tmpl/a.md.tmpl": ofRun, "tmpl/b.md.tmpl": strings.ReplaceAll(ofRun, "types", "Types")}, "file: out/Types.md: is what tmpl/a.md.tmpl gives"},
		"one path of all types":    {map[string]string{"api/v1/refund.go": refundType, "tmpl/a.go.tmpl": beside}, "tmpl/a.go.tmpl:1: file: api/v1/extra.go: is what tmpl/a.go.tmpl gives for example.com/shop/api/v1.Order, for example.com/shop/api/v1.Refund; give each a path of its own"},
		"the path of a lister":     {map[string]string{"tmpl/a.go.tmpl": "{{/* informer-gen: for each type; file {{.Version.Listers.Dir}}/{{.Type.FileName}} */}}"}, "tmpl/a.go.tmpl:1: file: pkg/generated/listers/shop/v1/order.go: is what lister.go.tmpl gives for example.com/shop/api/v1.Order" + order + "; give each a path of its own"},
		"the path of deep copies":  {map[string]string{"slim/types.go": slimOrder, "tmpl/a.go.tmpl": "{{/* informer-gen: for each run; file /slim/zz_generated.slim.go */}}"}, "tmpl/a.go.tmpl:1: file: slim/zz_generated.slim.go: is what _deepcopies.go.tmpl gives; give each a path of its own"},
		"outside of the module":    {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file ../../../x.md */}}"}, "tmpl/a.md.tmpl:1: file: ../x.md: is outside of module example.com/shop, or leads there; begin it with / to name it from the root of the module"},
		"in another module":        {map[string]string{"sub/go.mod": "module example.com/sub\n", "tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /sub/x.md */}}"}, "tmpl/a.md.tmpl:1: file: sub/x.md: sub: is outside of module example.com/shop, in which the informers are"},
		"vendored":                 {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /vendor/x.md */}}"}, "tmpl/a.md.tmpl:1: file: vendor/x.md: vendor: is a folder of vendored code"},
		"a directory":              {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /api */}}"}, "tmpl/a.md.tmpl:1: file: api: is a directory; name a file"},
		"below a file":             {map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /go.mod/x.md */}}"}, "tmpl/a.md.tmpl:1: file: go.mod/x.md: go.mod: is a file; name a directory"},
		"a file by hand":           {map[string]string{"out/types.md": "Mine.\n", "tmpl/a.md.tmpl": ofRun}, "tmpl/a.md.tmpl:1: file: out/types.md: was not written by this tool; move it away, or give the template another path"},
		"a name of the API":        {map[string]string{"tmpl/a.go.tmpl": beside + "\n\ntype Order struct{}\n"}, "tmpl/a.go.tmpl:4: output: Order is declared here and in api/v1/types.go:7:6" + order + "; give it another name, or the file another package"},
		"a name of an informer":    {map[string]string{"tmpl/a.go.tmpl": ofType + "type {{.Type.Ident}}Informer struct{}\n"}, "tmpl/a.go.tmpl:2: output: OrderInformer is declared here and in pkg/generated/informers/shop/v1/order.go:"},
		"an import's name":         {map[string]string{"tmpl/a.go.tmpl": ofType + "func schema() {}\n"}, "tmpl/a.go.tmpl:2: output: schema is declared here and imported in pkg/generated/informers/shop/v1/"},
		"a name of another type":   {map[string]string{"api/v1/refund.go": refundType, "tmpl/a.go.tmpl": ofType + "func extra() {}\n"}, "tmpl/a.go.tmpl:2: output: extra is declared here and in pkg/generated/informers/shop/v1/order_extra.go:5:6, for example.com/shop/api/v1.Refund; give it another name, or the file another package"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := withTemplates(t, project(t), test.files)
			if test.files["more/a.md.tmpl"] != "" {
				options.Templates = append(options.Templates, "more/")
			}
			if test.files["api/v1/refund.go"] != "" {
				writeDeepCopies(t, options.Dir)
			}
			if test.files["slim/types.go"] != "" {
				options.Patterns = []string{"./slim"}
			}
			before := snapshot(t, options.Dir)
			_, err := Run(t.Context(), options)
			if err == nil || !strings.Contains(errorText(options.Dir, err), test.want) {
				t.Errorf("got error\n%v\nwant\n%s", err, test.want)
			}
			if diff := cmp.Diff(before, snapshot(t, options.Dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

const refundType = `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +genclient
type Refund struct {
	metav1.TypeMeta
	metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
}
`

// Links in templates' paths lead to files in the module, or are errors; one in place of a template
// does not hang.
func TestLinksOfTemplates(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ link, target, path, want string }{
		"a file outside":      {"types.md", "../elsewhere.md", "/types.md", "is outside of module example.com/shop, or leads there"},
		"a directory outside": {"out", "..", "/out/types.md", "is outside of module example.com/shop, or leads there"},
		"a link to nothing":   {"out", "nowhere", "/out/x/types.md", "can't be followed"},
		"a template":          {"tmpl/b.tmpl", "/dev/zero", "/types.md", "tmpl/b.tmpl:1: template: is no regular file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := withTemplates(t, project(t), map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file " + test.path + " */}}{{.Generated}}\n"})
			if name == "a file outside" {
				writeFile(t, filepath.Join(options.Dir, test.target), "Code generated by informer-gen from a.md.tmpl. DO NOT EDIT.\n")
			}
			if err := os.Symlink(test.target, filepath.Join(options.Dir, test.link)); err != nil {
				t.Skip(err)
			}
			before := snapshot(t, options.Dir)
			if _, err := Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %s", err, test.want)
			}
			if diff := cmp.Diff(before, snapshot(t, options.Dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Several templates that are wrong are reported at once, each problem once.
func TestAllProblemsOfTemplates(t *testing.T) {
	t.Parallel()
	const line = "{{- /* informer-gen: for each type; file /x/{{lower .Type.Ident}}_%.go */ -}}\n"
	options := withTemplates(t, project(t), map[string]string{
		"api/v1/refund.go": refundType, "tmpl/a.go.tmpl": strings.ReplaceAll(line, "%", "a") + "{{.Nope}}\n", "tmpl/b.go.tmpl": strings.ReplaceAll(line, "%", "b") + "{{.Nor}}\n",
	})
	writeDeepCopies(t, options.Dir)
	_, err := Run(t.Context(), options)
	want := "error: tmpl/a.go.tmpl:2:3: template: <.Nope>: can't evaluate field Nope in type *templates.File, for example.com/shop/api/v1.Order\n" +
		"error: tmpl/b.go.tmpl:2:3: template: <.Nor>: can't evaluate field Nor in type *templates.File, for example.com/shop/api/v1.Order\n"
	if got := errorText(options.Dir, err); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// usersFiles are templates for each thing, in the folder of the output, in one of the API and elsewhere.
var usersFiles = map[string]string{
	"tmpl/key.go.tmpl": "{{- /* informer-gen: for each type; file {{if index .Type.Markers \"mine:key\"}}/api/v1/zz_{{lower .Type.Ident}}.go{{end}} */ -}}\n" +
		"// {{.Type.Ident}}Key is that of an order.\nfunc {{.Type.Ident}}Key(order *{{.Ref .Type.API .Type.Name}}) string { return {{.Use \"path.Join\"}}(order.Namespace, order.Name) }\n",
	"tmpl/names.go.tmpl":   "{{- /* informer-gen: for each version; file {{.Version.Informers.Dir}}/names/names.go */ -}}\n//go:build !other\n\n// Package names has names.\n\n// Names are those of the types.\nvar Names = []string{ {{- range .Version.Types}}\"{{.Name}}\",{{end}}}\n",
	"tmpl/groups.txt.tmpl": "{{- /* informer-gen: for each group; file /docs/{{.Group.Dir}}/group.txt */ -}}\n# {{.Generated}}\n{{.Group.Name}} {{template \"_team.tmpl\" .}}\n",
	"tmpl/_team.tmpl":      "{{range .Group.Versions}}{{range .Types}}{{join (index .PackageMarkers \"mine:team\") \", \"}}{{end}}{{end}}",
	"tmpl/more_test.go.tmpl": "{{/* informer-gen: for each version; package names_test; file {{.Version.Informers.Dir}}/names/names_test.go */ -}}\nimport \"strings\"\n\n" +
		"var _ = {{.Use \"strings.ToUpper\"}}({{.Ref (.Version.Informers.Join \"names\" \"names\") \"Names\"}}[0])\n",
	"tmpl/all.txt.tmpl": "{{- /* informer-gen: for each run; file types.txt */ -}}\n# {{.Generated}}\n{{range .Run.Groups}}{{.GoName}}{{end}}\n",
}

// changed are the changes of a run.
func changed(result Result) []string {
	var changes []string
	for _, change := range result.Changes {
		changes = append(changes, change.Kind+" "+filepath.ToSlash(change.Path))
	}
	return changes
}

const usersMarkers = "// +mine:team=sales\n// +mine:team=returns\n"

// The files of users' templates are written, checked, listed and removed as all others are.
func TestUsersFiles(t *testing.T) {
	t.Parallel()
	options := withTemplates(t, project(t), usersFiles)
	marked := usersMarkers + strings.Replace(orderType, "// +genclient", "// +genclient\n// +mine:key", 1)
	writeFile(t, filepath.Join(options.Dir, "api/v1/types.go"), marked)
	mustRun(t, options)
	want := map[string]string{
		"api/v1/zz_order.go": "// Code generated by informer-gen from key.go.tmpl. DO NOT EDIT.\n\npackage v1\n\nimport (\n\t\"path\"\n)\n\n" +
			"// OrderKey is that of an order.\nfunc OrderKey(order *Order) string { return path.Join(order.Namespace, order.Name) }\n",
		"pkg/generated/informers/shop/v1/names/names.go":      "// Code generated by informer-gen from names.go.tmpl. DO NOT EDIT.\n\n//go:build !other\n\n// Package names has names.\npackage names\n\n// Names are those of the types.\nvar Names = []string{\"Order\"}\n",
		"pkg/generated/informers/shop/v1/names/names_test.go": "// Code generated by informer-gen from more_test.go.tmpl. DO NOT EDIT.\n\npackage names_test\n\nimport (\n\t\"example.com/shop/pkg/generated/informers/shop/v1/names\"\n)\n\nimport \"strings\"\n\nvar _ = strings.ToUpper(names.Names[0])\n",
		"docs/shop/group.txt":                                 "# Code generated by informer-gen from groups.txt.tmpl. DO NOT EDIT.\nshop.example.com sales, returns\n",
		"pkg/generated/types.txt":                             "# Code generated by informer-gen from all.txt.tmpl. DO NOT EDIT.\nShop\n",
	}
	for name, content := range want {
		got, err := os.ReadFile(filepath.Join(options.Dir, name))
		if diff := cmp.Diff(content, string(got)); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	if problems := compile(options.Dir); problems != nil {
		t.Error(problems)
	}
	verify := options
	verify.Verify = true
	mustRun(t, verify)
	list := options
	list.List = true
	row := mustRun(t, list).Types[0]
	if diff := cmp.Diff([]string{"key.go.tmpl"}, row.Templates); diff != "" || row.Data.Version.Informers().Dir != "informers/shop/v1" {
		t.Errorf("%+v %s", row.Data, diff)
	}

	// Without the marker the file of the type goes, and without its types that of a version.
	writeFile(t, filepath.Join(options.Dir, "api/v1/types.go"), usersMarkers+orderType)
	if result, err := Run(t.Context(), verify); err != nil || len(result.Changes) == 0 {
		t.Errorf("verify: %v, changes %v", err, result.Changes)
	}
	if diff := cmp.Diff([]string{"remove api/v1/zz_order.go", "update pkg/generated/informers/templates.txt"}, changed(mustRun(t, options))); diff != "" {
		t.Error(diff)
	}
	writeFile(t, filepath.Join(options.Dir, "api/v1/types.go"), usersMarkers+strings.Replace(orderType, "shop.example", "store.example", 1))
	removed := slices.DeleteFunc(changed(mustRun(t, options)), func(change string) bool {
		return !strings.HasPrefix(change, "remove docs") && !strings.Contains(change, "names.go")
	})
	if diff := cmp.Diff([]string{"remove docs/shop/group.txt", "remove pkg/generated/informers/shop/v1/names/names.go", "create pkg/generated/informers/store/v1/names/names.go"}, removed); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(options.Dir, "docs/shop")); err == nil {
		t.Error("docs/shop is left, and empty")
	}
}

// Files go when their template gives them no more: for a template with another path, one that is
// gone, and none at all. What was written by hand in their place stays.
func TestUsersFilesGoWithTheirTemplates(t *testing.T) {
	t.Parallel()
	options := withTemplates(t, project(t), usersFiles)
	mustRun(t, options)
	writeFile(t, filepath.Join(options.Dir, "tmpl/groups.txt.tmpl"), strings.Replace(usersFiles["tmpl/groups.txt.tmpl"], "/docs/{{.Group.Dir}}", "/testdata", 1))
	writeFile(t, filepath.Join(options.Dir, "pkg/generated/types.txt"), "By hand.\n")
	for _, name := range []string{"tmpl/names.go.tmpl", "tmpl/all.txt.tmpl"} {
		if err := os.Remove(filepath.Join(options.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	const names, manifest = "pkg/generated/informers/shop/v1/names/names.go", "pkg/generated/informers/templates.txt"
	keep := options
	keep.KeepStale = true
	if diff := cmp.Diff([]string{"update " + manifest, "create testdata/group.txt"}, changed(mustRun(t, keep))); diff != "" {
		t.Errorf("--prune=false: %s", diff)
	}
	check := func(want ...string) {
		t.Helper()
		options.Verify = true
		result, err := Run(t.Context(), options)
		if diff := cmp.Diff(want, changed(result)); diff != "" || err != nil {
			t.Errorf("verify: %v %s", err, diff)
		}
		options.Verify = false
		if diff := cmp.Diff(want, changed(mustRun(t, options))); diff != "" {
			t.Error(diff)
		}
		options.Verify = true
		mustRun(t, options)
		options.Verify = false
	}
	check("remove docs/shop/group.txt", "remove "+names, "update "+manifest)
	options.Templates = nil
	check("remove pkg/generated/informers/shop/v1/names/names_test.go", "remove "+manifest, "remove testdata/group.txt")
	if content, err := os.ReadFile(filepath.Join(options.Dir, "pkg/generated/types.txt")); string(content) != "By hand.\n" {
		t.Errorf("types.txt: %q, %v", content, err)
	}
}

// After a merge, files of both branches are found, also if its conflict is not resolved.
func TestUsersFilesOfTwoBranches(t *testing.T) {
	t.Parallel()
	options := withTemplates(t, project(t), map[string]string{"tmpl/key.txt.tmpl": "{{- /* informer-gen: for each type; file /docs/{{lower .Type.Ident}}.txt */ -}}\n{{.Generated}}\n"})
	mustRun(t, options)
	list := filepath.Join(options.Dir, "pkg/generated/informers/templates.txt")
	content, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ours", "theirs"} {
		writeFile(t, filepath.Join(options.Dir, "docs", name+".txt"), "Code generated by informer-gen from key.txt.tmpl. DO NOT EDIT.\n")
	}
	writeFile(t, list, strings.Replace(string(content), "docs/order.txt\n", "<<<<<<< HEAD\ndocs/ours.txt\n=======\ndocs/theirs.txt\n>>>>>>> other\n", 1))
	want := []string{"remove docs/ours.txt", "remove docs/theirs.txt", "update pkg/generated/informers/templates.txt"}
	if diff := cmp.Diff(want, changed(mustRun(t, options))); diff != "" {
		t.Error(diff)
	}
	if after, err := os.ReadFile(list); string(after) != string(content) {
		t.Errorf("the list is %q, %v", after, err)
	}
}

// Files of other runs, copies and files by hand stay, whatever they say.
func TestUsersFilesOfOthersStay(t *testing.T) {
	t.Parallel()
	options := withTemplates(t, twoPackages(t), map[string]string{
		"tmpl/key.txt.tmpl":   "{{- /* informer-gen: for each type; file /docs/{{.Version.Name}}/{{lower .Type.Ident}}.txt */ -}}\n{{.Generated}}\n",
		"tmpl/names.txt.tmpl": "{{- /* informer-gen: for each version; file names.txt */ -}}\n{{.Generated}}\n",
	})
	run := func() {
		for _, of := range [][2]string{{"./api/v1", "one/informers"}, {"./api/sales/v1", "two/informers"}} {
			options.Patterns, options.OutputDir = []string{of[0]}, of[1]
			mustRun(t, options)
		}
	}
	run()
	const line = "Code generated by informer-gen from key.txt.tmpl. DO NOT EDIT.\n"
	for _, name := range []string{"docs/v1/copy.txt", "README.md", "tmpl/_part.tmpl", "one/informers/copy.txt"} {
		writeFile(t, filepath.Join(options.Dir, name), line)
	}
	before := snapshot(t, options.Dir)
	run()
	if diff := cmp.Diff(before, snapshot(t, options.Dir)); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"one/names.txt", "two/names.txt", "docs/v1/order.txt", "docs/v1/sale.txt"} {
		if before[filepath.Join(options.Dir, name)] == "" {
			t.Errorf("%s was not written", name)
		}
	}
}
