package generators

import (
	"fmt"
	"go/scanner"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// twoPackages is project with a second API package, api/sales/v1, of another kind.
func twoPackages(t *testing.T) Options {
	t.Helper()
	options := project(t)
	sale := strings.NewReplacer("shop.example.com", "sales.example.com", "Order", "Sale").Replace(orderType)
	writeFile(t, filepath.Join(options.Dir, "api/sales/v1/types.go"), sale)
	writeDeepCopies(t, options.Dir)
	return options
}

// As with a go:generate line in each API package: the second run would remove the
// informers of the first, and replace its factory. It must say so and do nothing.
func TestRunOverOtherPackagesRefuses(t *testing.T) {
	t.Parallel()
	options := twoPackages(t)
	options.Patterns = []string{"./api/v1"}
	mustRun(t, options)
	before := snapshot(t, options.Dir)
	options.Patterns = []string{"./api/sales/v1"}
	for _, options.Verify = range []bool{false, true} {
		_, err := Run(t.Context(), options)
		want := "pkg/generated/informers/shop/v1/order.go: output: an earlier run wrote it for Order in example.com/shop/api/v1, which this run does not read; " +
			"name the packages of all types in one run, give each run an --output-dir of its own, or remove pkg/generated/informers/shop/v1 if it is to go"
		if err == nil || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}
	}
	if diff := cmp.Diff(before, snapshot(t, options.Dir)); diff != "" {
		t.Error(diff)
	}
	options.Verify, options.Patterns = false, []string{"./api/v1", "./api/sales/v1"}
	for _, change := range mustRun(t, options).Changes {
		if change.Kind == output.Removed {
			t.Errorf("removed: %s", change.Path)
		}
	}
}

// What another run wrote below the output folder, to a factory of its own, is its
// own; so are the listers of packages that this run does not read.
func TestRunAboveAnotherOne(t *testing.T) {
	t.Parallel()
	options := twoPackages(t)
	options.Patterns, options.OutputDir, options.ListersPackage = []string{"./api/v1"}, "pkg/shop/informers", "example.com/shop/pkg/shop/listers"
	mustRun(t, options)
	before := snapshot(t, filepath.Join(options.Dir, "pkg/shop"))
	options.Patterns, options.OutputDir, options.ListersPackage = []string{"./api/sales/v1"}, "pkg", "example.com/shop/pkg/shop/listers"
	for _, change := range mustRun(t, options).Changes {
		if change.Kind == output.Removed {
			t.Errorf("removed: %s", change.Path)
		}
	}
	after := snapshot(t, filepath.Join(options.Dir, "pkg/shop"))
	for name, content := range before {
		if after[name] != content {
			t.Errorf("%s: changed", name)
		}
	}
}

// Folders within the output of an earlier run, named as the output: its files would be stale. The
// folder that a run with a clientset adds is the likely mistake, since the files are seen there.
func TestRunInsideAnotherOneRefuses(t *testing.T) {
	t.Parallel()
	const clientset = "example.com/shop/clientset"
	for name, test := range map[string]struct {
		first, second Options
		want          string
	}{
		"level": {
			Options{OutputDir: "pkg/informers", VersionedClientset: clientset},
			Options{OutputDir: "pkg/informers/externalversions", VersionedClientset: clientset},
			"/api/interface.go: output: an earlier run with --output-dir pkg/informers wrote it; name that folder, " +
				"or add --single-directory: without it a clientset adds externalversions",
		},
		"group": {
			Options{OutputDir: "pkg/informers"},
			Options{OutputDir: "pkg/informers/shop"},
			"/v1/interface.go: output: an earlier run with --output-dir pkg/informers wrote it; name that folder, or a folder outside of it",
		},
		"group below a level": {
			Options{OutputDir: "pkg/informers", VersionedClientset: clientset},
			Options{OutputDir: "pkg/informers/externalversions/api", VersionedClientset: clientset},
			"/v1/interface.go: output: an earlier run with --output-dir pkg/informers wrote it; name that folder, or a folder outside of it",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := project(t)
			for _, options := range []*Options{&test.first, &test.second} {
				options.Dir, options.Patterns, options.ListersPackage = of.Dir, []string{"./api/..."}, "example.com/shop/pkg/listers"
			}
			mustRun(t, test.first)
			before := snapshot(t, of.Dir)
			for _, test.second.Verify = range []bool{false, true} {
				_, err := Run(t.Context(), test.second)
				if want := test.second.OutputDir + test.want; err == nil || err.Error() != want {
					t.Errorf("got error %v, want %s", err, want)
				}
			}
			if !maps.Equal(before, snapshot(t, of.Dir)) {
				t.Error("files were written or removed")
			}
		})
	}
}

// A folder may be called as a level: it may have a level of its own, or be the only one.
func TestOutputCalledAsLevel(t *testing.T) {
	t.Parallel()
	for _, single := range []bool{false, true} {
		options := project(t)
		options.OutputDir, options.VersionedClientset, options.SingleDirectory = "pkg/externalversions", "example.com/shop/clientset", single
		mustRun(t, options)
		if changes := len(mustRun(t, options).Changes); changes > 0 {
			t.Errorf("single %v: a second run changes %d files", single, changes)
		}
	}
}

// A type's files go when the type goes, or its package, whether or not the run
// reads what is left of it.
func TestStaleIsWhatHasNoType(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"package": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "api/sales")); err != nil {
				t.Fatal(err)
			}
		},
		"type": func(t *testing.T, dir string) {
			writeFile(t, filepath.Join(dir, "api/sales/v1/types.go"), "package v1\n")
			if err := os.Remove(filepath.Join(dir, "api/sales/v1/zz_generated.deepcopy.go")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := twoPackages(t)
			mustRun(t, options)
			want := func(there bool) {
				t.Helper()
				for _, dir := range []string{"informers/sales", "listers/sales"} {
					if paths.Exists(filepath.Join(options.Dir, "pkg/generated", dir)) != there {
						t.Errorf("%s is there: %v", dir, !there)
					}
				}
			}
			want(true)
			spoil(t, options.Dir)
			options.Patterns = []string{"./api/v1"}
			mustRun(t, options)
			want(false)
		})
	}
}

// A run that could not load a package which it looked into does not remove anything, even
// if all types that it found are in order.
func TestNothingIsRemovedWithoutAllPackages(t *testing.T) {
	t.Parallel()
	options := twoPackages(t)
	// The package meta is in a directory called otherwise, so that imports without a name
	// are loaded one after the other until it is found.
	writeFile(t, filepath.Join(options.Dir, "lib/things/meta.go"),
		"package meta\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Object struct{ metav1.ObjectMeta `json:\"metadata\"` }\n")
	typesWith := func(imports string) {
		imports = "package v1\n" + imports + "import \"example.com/shop/lib/things\"\n"
		writeFile(t, filepath.Join(options.Dir, "api/v1/types.go"),
			strings.NewReplacer("package v1\n", imports, "metav1.ObjectMeta `json:\"metadata\"`", "meta.Object").Replace(orderType))
	}
	typesWith("")
	mustRun(t, options)
	if err := os.RemoveAll(filepath.Join(options.Dir, "api/sales")); err != nil {
		t.Fatal(err)
	}
	typesWith("import \"example.com/missing/base\"\n")
	options.Patterns = []string{"./api/v1"}
	result := mustRun(t, options)
	for _, change := range result.Changes {
		if change.Kind == output.Removed {
			t.Errorf("removed: %s", change.Path)
		}
	}
	if text := fmt.Sprint(result.Warnings); !strings.Contains(text, "not removed") || !strings.Contains(text, "no required module provides package example.com/missing/base") {
		t.Errorf("warnings: %s", text)
	}
	typesWith("")
	gone := 0
	for _, change := range mustRun(t, options).Changes {
		if change.Kind == output.Removed {
			gone++
		}
	}
	if gone == 0 {
		t.Error("nothing is removed when all packages can be loaded")
	}
}

// Temporary files of a run that was killed go with the next one that writes beside them; those of
// a run that goes on stay.
func TestAbandonedTemporaryFiles(t *testing.T) {
	t.Parallel()
	options := project(t)
	half := filepath.Join(options.Dir, ".informer-gen-999999999-1") // beside the folder that the run makes
	writeFile(t, filepath.Join(half, "generated/informers/factory.go"), "half")
	mustRun(t, options)
	if paths.Exists(half) {
		t.Error("the directory of a run that was killed is still there")
	}
	ended := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(options.Dir, "pkg/generated/listers/shop/v1")
	abandoned := filepath.Join(dir, fmt.Sprintf(".informer-gen-%d-1", ended.Process.Pid))
	inUse := filepath.Join(dir, fmt.Sprintf(".informer-gen-%d-1", os.Getpid()))
	writeFile(t, abandoned, "half")
	writeFile(t, inUse, "half")
	if err := os.Remove(filepath.Join(dir, "order.go")); err != nil { // the file that the killed run did not write
		t.Fatal(err)
	}
	mustRun(t, options)
	if paths.Exists(abandoned) || !paths.Exists(inUse) {
		t.Error("the file of the run that was killed is still there, or that of this one is gone")
	}
	beside := filepath.Join(options.Dir, "out/.informer-gen-999999999-2") // beside the file of a user's template
	writeFile(t, beside, "half")
	mustRun(t, withTemplates(t, options, map[string]string{"tmpl/a.md.tmpl": "{{/* informer-gen: for each run; file /out/a.md */}}{{.Generated}}\n"}))
	if paths.Exists(beside) {
		t.Error("the file of a run that was killed is still beside that of a template")
	}
}

// codeGenerated are files as code-generator's informer-gen wrote them before it had typed informers: its
// informers name their API type in an address.
var codeGenerated = map[string]string{
	"factory.go": "package externalversions\n\ntype SharedInformerFactory interface{}\n",
	"generic.go": "package externalversions\n",
	"internalinterfaces/factory_interfaces.go": "package internalinterfaces\n",
	"shop/interface.go":                        "package shop\n",
	"shop/v1/interface.go":                     "package v1\n",
	"shop/v1/order.go": "package v1\n\nimport (\n\t\"k8s.io/client-go/tools/cache\"\n\tshopv1 \"example.com/shop/api/v1\"\n)\n\n" +
		"type OrderInformer interface{ Informer() cache.SharedIndexInformer }\n\nvar _ = cache.NewSharedIndexInformer(&cache.ListWatch{}, &shopv1.Order{}, 0, nil)\n",
}

// codeGeneratorRun writes these, and files of which nothing tells the API type.
func codeGeneratorRun(unknown ...string) func(*testing.T, Options) {
	return func(t *testing.T, of Options) {
		t.Helper()
		dir := filepath.Join(of.Dir, "pkg/generated/informers/externalversions")
		for name, content := range codeGenerated {
			writeFile(t, filepath.Join(dir, name), ownLine+"\n\n"+content)
		}
		for _, name := range unknown {
			writeFile(t, filepath.Join(dir, name), ownLine+"\n\npackage v1\n")
		}
	}
}

// earlierRun generates with other options.
func earlierRun(options Options) func(*testing.T, Options) {
	return func(t *testing.T, of Options) {
		t.Helper()
		options.Dir, options.Patterns = of.Dir, of.Patterns
		mustRun(t, options)
	}
}

// The files of another tool, or of a run with other flags, are a whole. All of them go if this run takes
// their place, with a warning that names the flag which keeps them, and none if that is not known.
func TestOthersFilesAreAWhole(t *testing.T) {
	t.Parallel()
	const clientset, informers = "example.com/shop/clientset", "pkg/generated/informers/"
	with, single := Options{VersionedClientset: clientset}, Options{VersionedClientset: clientset, SingleDirectory: true}
	for name, test := range map[string]struct {
		before  func(*testing.T, Options)
		now     Options
		flags   string
		keep    string
		refused bool
	}{
		"code-generator":            {codeGeneratorRun(), Options{}, "with --versioned-clientset-package", "add that flag", false},
		"code-generator, strangely": {codeGeneratorRun("other/v1/other.go"), Options{}, "with --versioned-clientset-package", "add that flag", true},
		"no clientset any more":     {earlierRun(with), Options{}, "with --versioned-clientset-package", "add that flag", false},
		"single":                    {earlierRun(with), single, "without --single-directory", "leave out that flag", false},
		"single no more":            {earlierRun(single), with, "without a clientset, or with --single-directory,", "leave out the clientset or add --single-directory", false},
		"a clientset":               {earlierRun(Options{}), with, "without a clientset, or with --single-directory,", "leave out the clientset or add --single-directory", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			of := project(t)
			test.before(t, of)
			before := snapshot(t, of.Dir)
			options := test.now
			options.Dir, options.Patterns = of.Dir, of.Patterns
			if test.refused {
				for _, options.Verify = range []bool{false, true} {
					if _, err := Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), "an earlier run "+test.flags+" wrote it; "+test.keep) {
						t.Errorf("got error %v, want %s and %s", err, test.flags, test.keep)
					}
				}
				if diff := cmp.Diff(before, snapshot(t, of.Dir)); diff != "" {
					t.Error(diff)
				}
				return
			}
			warned := func(warnings scanner.ErrorList, how string) bool {
				return slices.ContainsFunc(warnings, func(warning *scanner.Error) bool { return strings.Contains(warning.Msg, how) })
			}
			warnings := mustRun(t, options).Warnings
			if !warned(warnings, "an earlier run "+test.flags+" wrote it") || !warned(warnings, "; "+test.keep+" to keep them") {
				t.Errorf("warnings: %q", warnings)
			}
			after := snapshot(t, of.Dir)
			for file, content := range before {
				if strings.Contains(filepath.ToSlash(file), informers) && after[file] == content {
					t.Errorf("%s is left", file)
				}
			}
			options.Verify = true
			if warnings := mustRun(t, options).Warnings; warned(warnings, "earlier run") {
				t.Errorf("the next run warns: %q", warnings)
			}
		})
	}
}

// The package of an informer whose API type nothing tells stays whole.
func TestPackageOfUnknownTypeStaysWhole(t *testing.T) {
	t.Parallel()
	options := project(t)
	mustRun(t, options)
	dir := filepath.Join(options.Dir, "pkg/generated/informers/unknown")
	files := []string{"interface.go", "v1/interface.go", "v1/unknown.go"}
	for _, name := range files {
		writeFile(t, filepath.Join(dir, name), ownLine+"\n\npackage v1\n")
	}
	if result := mustRun(t, options); len(result.Changes) > 0 || len(result.Warnings) != 1 || !strings.Contains(result.Warnings[0].Error(), "unknown/v1/unknown.go") {
		t.Errorf("changes %v, warnings %v", result.Changes, result.Warnings)
	}
}
