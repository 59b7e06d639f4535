package generators

import (
	"errors"
	"go/scanner"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
)

// sources are the files of API packages to begin with: those of testdata, and
// those of the test cases.
func sources(f *testing.F) []string {
	var found []string
	for _, pattern := range []string{"../testdata/*/apis/*/*/types.go", "../testdata/*/api/*/*_types.go", "../testdata/*/*/apis/*/*/types.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			found = append(found, string(source))
		}
	}
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if filepath.Ext(file.Name) == ".go" && collect.Rules.Sign(file.Data) && len(file.Data) < 4096 {
				found = append(found, string(file.Data))
			}
		}
	}
	return found
}

// FuzzRun feeds an API package to the whole generator. Whatever it is, there is
// no panic: either code that compiles, if the package does, or an error that is
// about the input.
func FuzzRun(f *testing.F) {
	for _, source := range sources(f) {
		f.Add(source, false)
	}
	f.Fuzz(checkRun)
}

// FuzzEdited does so with packages that differ from real ones by a few lines and
// words, so that more of them are Go.
func FuzzEdited(f *testing.F) {
	all := sources(f)
	for i := range all {
		f.Add(uint16(i), []byte{0, 3, 9, 1, 7, 9, 4, 1, 1}, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, i uint16, edits []byte, clientset bool) {
		checkRun(t, edited(all[int(i)%len(all)], edits), clientset)
	})
}

// inserted are lines that matter to the generator, and words that may be in the
// place of others.
var (
	inserted = []string{
		"// +genclient", "// +genclient:nonNamespaced", "// +genclient:noVerbs", "// +genclient:skipVerbs=get", "// +genclient:onlyVerbs=list,watch",
		"// +kubebuilder:object:root=true", "// +kubebuilder:resource:path=things,scope=Cluster", "// +kubebuilder:skip", "// +resourceName=things",
		"// +groupName=", "// +groupName=other.example.com", "// +groupGoName=Other", "// +k8s:lister-gen=false", "", "//", "/*", "*/", ")", "}", "type (",
		"type Thing = Order", "type Thing Order", "type Thing struct { Order }", "type ThingList struct { metav1.TypeMeta; metav1.ListMeta; Items []*Thing }",
		"type Thing[T any] struct { metav1.TypeMeta; metav1.ObjectMeta }", "metav1.ObjectMeta `json:\"metadata\"`", "metav1.TypeMeta",
		"var GroupVersion = schema.GroupVersion{Group: \"g.example.com\", Version: \"v1\"}", "//line x.go:1", "\r",
		"// +informer-gen:index", "// +informer-gen:index=ByThing", "// +informer-gen:index=ByName,func=NameOf", "func NameOf(order *Order) string { return order.Name }",
		"Order", "*Order", "Things map[string][]Thing", "Thing **Thing", "Count int8", "name *string", "type Thing struct {",
	}
	words = []string{"Interface", "List", "New", "Typed", "Informer", "Get", "metav1", "v1", "Order", "NewOrder", "TypedOrder", "type", "struct", "main", ".", "_", "é", "*", "=", "[T any]", "[int]"}
)

// edited returns a source with edits made: each of three bytes says what is done
// to which line, and with what.
func edited(source string, edits []byte) string {
	lines := strings.Split(source, "\n")
	for edit := range slices.Chunk(edits, 3) {
		if len(edit) < 3 || len(lines) == 0 {
			break
		}
		at, with := int(edit[1])%len(lines), int(edit[2])
		switch edit[0] % 7 {
		case 0:
			lines = slices.Delete(lines, at, at+1)
		case 1:
			lines = slices.Insert(lines, at, lines[with%len(lines)])
		case 2:
			other := with % len(lines)
			lines[at], lines[other] = lines[other], lines[at]
		case 3:
			lines = slices.Insert(lines, at, inserted[with%len(inserted)])
		case 4:
			if fields := strings.Fields(lines[at]); len(fields) > 0 {
				lines[at] = strings.Replace(lines[at], fields[with%len(fields)], words[with%len(words)], 1)
			}
		case 5:
			if fields := strings.Fields(lines[at]); len(fields) > 0 {
				lines[at] = strings.Replace(lines[at], fields[with%len(fields)], "", 1)
			}
		case 6:
			if len(lines[at]) > 0 {
				i := with % len(lines[at])
				lines[at] = lines[at][:i] + lines[at][i+1:]
			}
		}
	}
	return strings.Join(lines, "\n")
}

// fuzzedTemplates have a file beside each type, and one in a package of its own.
var fuzzedTemplates = map[string]string{
	"tmpl/key.go.tmpl": "{{/* informer-gen: for each type; file /api/v1/zz_{{lower .Type.Ident}}_key.go */ -}}\n" +
		"func {{.Type.Ident}}Key(obj *{{.Ref .Type.API .Type.Name}}, path string) string { return {{.Use \"path.Join\"}}(path) }\n",
	"tmpl/keys.go.tmpl": "{{/* informer-gen: for each type; file keys/{{lower .Type.Ident}}/{{.Type.FileName}} */ -}}\n" +
		"// Package has a comment that is not its name's.\n\nvar _ {{.Ref .Type.API .Type.Name}}\nvar {{.Type.Private}}Time {{.Use \"time.Time\"}}\n",
}

// checkRun generates from one file. Nothing panics or hangs, problems are within
// the file, and what is generated compiles if the file does.
func checkRun(t *testing.T, source string, clientset bool) {
	if _, err := exports(); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", "") // the go command would take a tenth of a second not to find a package
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/fuzz\n")
	writeFile(t, filepath.Join(dir, "api/v1/types.go"), source)
	writeDeepCopies(t, dir)
	options := Options{Dir: dir, Patterns: []string{"./..."}}
	if !clientset {
		options = withTemplates(t, options, fuzzedTemplates)
	}
	if clientset {
		options.VersionedClientset = "example.com/fuzz/clientset"
	}
	hang := time.AfterFunc(5*time.Minute, func() { panic("hangs on " + source) })
	defer hang.Stop()
	result, err := Run(t.Context(), options)
	list := scanner.ErrorList(nil)
	if err != nil && !errors.Is(err, ErrNothing) && !errors.As(err, &list) {
		t.Fatalf("%v\n%s", err, source)
	}
	lines := strings.Split(source, "\n")
	for _, problem := range slices.Concat(list, result.Warnings) {
		pos := problem.Pos
		if clientset && !pos.IsValid() && strings.Contains(problem.Error(), options.VersionedClientset) {
			continue // not about the file
		}
		if strings.HasPrefix(pos.Filename, "tmpl/") && strings.Contains(problem.Msg, " is declared here and in api/v1/types.go") {
			continue // a name that the file has
		}
		if pos.Line < 1 || pos.Line > len(lines) || pos.Column < 1 || pos.Column > len(lines[pos.Line-1])+2 {
			t.Errorf("position out of the file: %v\n%s", problem, source)
		}
	}
	if err != nil || clientset {
		return
	}
	var generated scanner.ErrorList
	for _, problem := range compile(dir) {
		if !isOutput(options, dir, result.Changes, problem.Pos.Filename) {
			return // the file does not compile
		}
		if !strings.Contains(problem.Msg, "does not satisfy") { // methods that are not as they should be
			generated = append(generated, problem)
		}
	}
	if len(generated) > 0 {
		t.Errorf("%v\n%s", generated, source)
	}
}
