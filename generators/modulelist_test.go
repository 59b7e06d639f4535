package generators

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Modules tell of packages what the go command tells.
func TestInModules(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	patterns, optional := []string{"k8s.io/client-go/listers/...", "k8s.io/apimachinery/pkg/apis/meta/v1"}, []string{"k8s.io/client-go/kubernetes"}
	got, ok := inModules(t.Context(), root, patterns, optional)
	if !ok || len(got) < 50 {
		t.Fatalf("got %d packages, %v", len(got), ok)
	}
	want, err := goList(t.Context(), root, patterns, optional, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("otherwise than the go command (-want +got):\n%s", diff)
	}
	for _, pattern := range []string{"k8s.io/...", "k8s.io/api/nothing", "k8s.io/client-go/listers/", "fmt", "example.com/unknown"} {
		if got, ok := inModules(t.Context(), root, []string{pattern}, nil); ok {
			t.Errorf("%s: got %v, want it left to the go command", pattern, got)
		}
	}
}

// A pattern is left to the go command if several modules may match it, and the
// module with the longest path has a package.
func TestModuleOf(t *testing.T) {
	t.Parallel()
	modules := []string{"example.com/shop", "example.com/shop/api", "example.com/shopping"}
	for _, c := range []struct{ pattern, want string }{
		{"example.com/shop", "example.com/shop"},
		{"example.com/shop/v1", "example.com/shop"},
		{"example.com/shop/api/v1", "example.com/shop/api"},
		{"example.com/shop/api/...", "example.com/shop/api"},
		{"example.com/shop/v1/...", "example.com/shop"},
		{"example.com/shop/...", ""},
		{"example.com/...", ""},
		{"example.com/shop/.../v1", ""},
		{"example.com/shop/../shopping", ""},
		{"example.com/shops", ""},
		{"...", ""},
	} {
		if got, ok := moduleOf(c.pattern, modules); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", c.pattern, got, ok, c.want)
		}
	}
}

// Where go.mod is not all that counts, the go command is asked.
func TestRequirements(t *testing.T) {
	for _, c := range []struct {
		name, file string
		want       []string
	}{
		{"go.mod", "api/types.go", []string{"example.com/shop"}},
		{"workspace", "go.work", nil},
		{"vendor folder", "vendor/modules.txt", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOWORK", "")
			dir := t.TempDir()
			writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/project\n\nrequire example.com/shop v1.0.0\n")
			writeFile(t, filepath.Join(dir, c.file), "")
			if diff := cmp.Diff(c.want, requirements(filepath.Join(dir, "api"))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
