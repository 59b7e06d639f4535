package generate

import (
	"fmt"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

const sampleModule = "github.com/informer-gen/informer-gen/testdata/samplecontroller"

// different are the lines of code-generator's API that ours does not have, with
// the reason why no caller notices.
var different = map[string]string{
	"externalversions.SharedInformerOption func(*externalversions.sharedInformerFactory) *externalversions.sharedInformerFactory":                                                                                                                 "its parameter is not exported: callers only pass on what the With functions return",
	"externalversions/internalinterfaces.InformerOptions field TweakListOptions externalversions/internalinterfaces.TweakListOptionsFunc":                                                                                                         aliased,
	"externalversions/internalinterfaces.SharedInformerFactory method InformerFor func(obj k8s.io/apimachinery/pkg/runtime.Object, newFunc externalversions/internalinterfaces.NewInformerFunc) k8s.io/client-go/tools/cache.SharedIndexInformer": aliased,
}

const aliased = "the function type is an alias, so that what fits one project's factory fits another's: it takes the same functions"

// For the same input and flags, the packages that informer-gen writes have all
// that those of code-generator's informer-gen and lister-gen have: whoever calls
// the one can call the other.
func TestSameAPIAsCodeGenerator(t *testing.T) {
	dir := project(t, "example.com/compat", "k8s.io/apimachinery v0.37.2", "k8s.io/client-go v0.37.2")
	clientset, input := sampleModule+"/pkg/clientset/versioned", sampleModule+"/pkg/apis/samplecontroller/v1alpha1"
	// The go command has to know the input by name.
	write(t, filepath.Join(dir, "input.go"), "package compat\n\nimport (\n\t_ \""+input+"\"\n\t_ \""+clientset+"\"\n)\n")

	theirs := func(tool string, args ...string) {
		mustRun(t, dir, codeGenerator(t, tool), append(args, input)...)
	}
	theirs("lister-gen", "--output-dir", "theirs/listers", "--output-pkg", "example.com/compat/theirs/listers")
	theirs("informer-gen", "--output-dir", "theirs/informers", "--output-pkg", "example.com/compat/theirs/informers",
		"--listers-package", "example.com/compat/theirs/listers", "--versioned-clientset-package", clientset)
	mustRun(t, dir, buildTool(t), "--output-dir", "ours/informers", "--output-pkg", "example.com/compat/ours/informers",
		"--listers-package", "example.com/compat/ours/listers", "--versioned-clientset-package", clientset, input)

	want, got := api(t, dir, "theirs"), api(t, dir, "ours")
	if len(want) < 100 {
		t.Fatalf("code-generator's API has only %d lines", len(want))
	}
	for _, line := range slices.Sorted(maps.Keys(want)) {
		if _, known := different[line]; known == got[line] {
			t.Errorf("in ours: %v, expected to be different: %v: %s", got[line], known, line)
		}
	}
	t.Logf("%d lines of API are in both", len(want)-len(different))
}

// codeGenerator builds a tool of code-generator, at the version of go.mod.
func codeGenerator(t *testing.T, name string) string {
	t.Helper()
	tool := filepath.Join(t.TempDir(), name)
	command := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "k8s.io/code-generator/cmd/"+name)
	command.Dir = filepath.Join(checkout(t), "test")
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build %s: %v\n%s", name, err, output)
	}
	return tool
}

// api describes what the packages below a folder export, a line for each
// function, method, field and type, with paths relative to the folder.
func api(t *testing.T, dir, folder string) map[string]bool {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Mode:    packages.LoadTypes,
		Dir:     dir,
		Context: t.Context(),
		Env:     append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off"),
	}, "./"+folder+"/...")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			t.Error(err)
		}
		d := describer{prefix: "example.com/compat/" + folder + "/", lines: lines}
		for _, name := range pkg.Types.Scope().Names() {
			if object := pkg.Types.Scope().Lookup(name); object.Exported() {
				d.object(object)
			}
		}
	}
	return lines
}

type describer struct {
	prefix string
	lines  map[string]bool
}

// qualify names packages in short if they are generated.
func (d describer) qualify(pkg *types.Package) string {
	return strings.TrimPrefix(strings.TrimPrefix(pkg.Path(), d.prefix), "informers/")
}

func (d describer) add(object types.Object, format string, args ...any) {
	d.lines[d.qualify(object.Pkg())+"."+object.Name()+" "+fmt.Sprintf(format, args...)] = true
}

func (d describer) object(object types.Object) {
	name, ok := object.(*types.TypeName)
	if !ok {
		d.add(object, "%s", types.TypeString(object.Type(), d.qualify))
		return
	}
	typ := types.Unalias(name.Type())
	methods := types.NewMethodSet(types.NewPointer(typ))
	switch under := typ.Underlying().(type) {
	case *types.Interface:
		methods = types.NewMethodSet(typ)
	case *types.Struct:
		for field := range under.Fields() {
			if field.Exported() {
				d.add(name, "field %s %s", field.Name(), types.TypeString(field.Type(), d.qualify))
			}
		}
	default:
		d.add(name, "%s", types.TypeString(under, d.qualify))
	}
	for method := range methods.Methods() {
		if method.Obj().Exported() {
			d.add(name, "method %s %s", method.Obj().Name(), types.TypeString(method.Type(), d.qualify))
		}
	}
}
