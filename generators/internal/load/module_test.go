package load

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
			api := filepath.Join(dir, "api")
			mod, err := new(Modules).Of(api)
			if err != nil {
				t.Fatal(err)
			}
			found := mod.requirements(api)
			if diff := cmp.Diff(c.want, found); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}
