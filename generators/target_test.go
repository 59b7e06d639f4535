package generators

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a run writes and removes is in the module that says the import path of the informers.
// The module is in a folder of its own, and beside it and in other modules stands what an
// earlier run wrote to the place of listers and clients: none of it changes.
func TestOutputStaysInItsModule(t *testing.T) {
	t.Parallel()
	const outside = "is outside of module example.com/shop, in which the informers are; choose an --output-dir below its root, such as ./informers, or other --listers-package"
	link := func(t *testing.T, to, name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
	}
	mod := func(name, path string) func(*testing.T, string) {
		return func(t *testing.T, root string) {
			t.Helper()
			writeFile(t, filepath.Join(root, name, "go.mod"), "module "+path+"\n")
		}
	}
	for name, test := range map[string]struct {
		options Options
		prepare func(t *testing.T, root string)
		want    string // part of the error, or empty
	}{
		"root of the module":               {Options{OutputDir: "."}, nil, "output: ../listers: " + outside},
		"by another way":                   {Options{OutputDir: "pkg/../api/.."}, nil, "output: ../listers: " + outside},
		"import path given":                {Options{OutputDir: ".", OutputPackage: "example.org/x/y"}, nil, "output: ../listers: " + outside},
		"listers inside, clients outside":  {Options{OutputDir: ".", ListersPackage: "example.com/shop/listers", Clients: true}, nil, "output: ../clients: " + outside},
		"listers inside, no clients":       {Options{OutputDir: ".", ListersPackage: "example.com/shop/listers"}, nil, ""},
		"listers not written":              {Options{OutputDir: ".", ListersPackage: "example.com/listers", SkipListers: true}, nil, ""},
		"listers named outside":            {Options{ListersPackage: "example.com/listers"}, nil, "output: ../listers: " + outside},
		"root of a nested module":          {Options{OutputDir: "pkg/informers"}, mod("shop/pkg/informers", "example.com/informers"), "output: pkg/listers: is outside of module example.com/informers, "},
		"listers in a nested module":       {Options{OutputDir: "pkg/informers"}, mod("shop/pkg/listers", "example.org/listers"), "output: pkg/listers: " + outside},
		"in a nested module of their path": {Options{OutputDir: "pkg/informers"}, mod("shop/pkg/listers", "example.com/shop/pkg/listers"), ""},
		"another module":                   {Options{OutputDir: "../other/pkg/informers"}, mod("other", "example.com/other"), ""},
		"root of another module":           {Options{OutputDir: "../other"}, mod("other", "example.com/other"), "output: ../listers: is outside of module example.com/other, "},
		"listers in another module":        {Options{ListersPackage: "example.com/other/listers"}, mod("other", "example.com/other"), ""},
		"vendored code":                    {Options{OutputDir: "vendor/example.org/x/informers"}, nil, "output: vendor/example.org/x/informers: is a folder of vendored code, which go mod vendor replaces; "},
		"folder called vendored":           {Options{OutputDir: "vendored/informers"}, nil, ""},
		"no module":                        {Options{OutputDir: "../free/informers", OutputPackage: "example.org/informers"}, nil, ""},
		"link out of the module": {Options{OutputDir: "gen/informers"}, func(t *testing.T, root string) {
			link(t, filepath.Join(root, "free"), filepath.Join(root, "shop/gen"))
		}, "free/informers by a link, outside of module example.com/shop; remove the link, or name that folder with --output-dir and its import path with --output-pkg"},
		"output is a link": {Options{OutputDir: "gen/informers"}, func(t *testing.T, root string) {
			link(t, filepath.Join(root, "free"), filepath.Join(root, "shop/gen/informers"))
		}, "free by a link, outside of module example.com/shop; "},
		"link of a group": {Options{OutputDir: "gen/informers"}, func(t *testing.T, root string) {
			link(t, filepath.Join(root, "free"), filepath.Join(root, "shop/gen/informers/shop"))
		}, "free by a link, outside of module example.com/shop; "},
		"link within the module": {Options{OutputDir: "gen/informers"}, func(t *testing.T, root string) {
			link(t, filepath.Join(root, "shop/elsewhere"), filepath.Join(root, "shop/gen"))
		}, ""},
		"module behind a link": {Options{Dir: "linked"}, func(t *testing.T, root string) {
			link(t, filepath.Join(root, "shop"), filepath.Join(root, "linked"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, options := t.TempDir(), test.options
			writeFile(t, filepath.Join(root, "shop/go.mod"), "module example.com/shop\n")
			writeFile(t, filepath.Join(root, "shop/api/v1/types.go"), orderType)
			writeDeepCopies(t, root)
			for file, declares := range map[string]string{"listers/gone/v1/gone.go": "GoneLister", "clients/clients.go": "Interface", "clients/gone/v1/gone.go": "GoneInterface"} {
				writeFile(t, filepath.Join(root, file), ownLine+"\n\npackage v1\n\nimport \"example.com/shop/api/v1\"\n\ntype "+declares+" interface{ Get() *v1.Gone }\n")
			}
			for _, dir := range []string{"free", "shop/elsewhere"} {
				if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			if test.prepare != nil {
				test.prepare(t, root)
			}
			before := snapshot(t, root)
			options.Dir, options.Patterns = filepath.Join(root, "shop"), []string{"./api/..."}
			if test.options.Dir != "" {
				options.Dir = filepath.Join(root, test.options.Dir)
			}
			_, err := Run(t.Context(), options)
			after := snapshot(t, root)
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("got error %v\nwant %s", err, test.want)
				}
				if diff := cmp.Diff(before, after); diff != "" {
					t.Error(diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for file, content := range before {
				if after[file] != content {
					t.Errorf("%s was changed or removed", file)
				}
			}
			if len(after) == len(before) {
				t.Error("nothing was written")
			}
		})
	}
}
