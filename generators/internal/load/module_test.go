package load

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// The go command is asked without its index of modules, and in the same environment otherwise, as long as
// its build cache is empty.
func TestEmptyBuildCache(t *testing.T) {
	dir, bin := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(bin, "go"), "#!/bin/sh\nprintf 'example.com/shop\\t%s %s\\t\\n' \"$GODEBUG\" \"$GOCACHE\"\n")
	if err := os.Chmod(filepath.Join(bin, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	env := filepath.Join(dir, "env")
	t.Setenv("GOENV", env)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "user"))
	t.Setenv("GODEBUG", "http2client=0")
	full := filepath.Join(dir, "full")
	writeFile(t, filepath.Join(full, "README"), "")
	for _, c := range []struct {
		name, cache, want string
	}{
		{"empty", filepath.Join(dir, "none"), "http2client=0,goindex=0 " + filepath.Join(dir, "none")},
		{"full", full, "http2client=0 " + full},
		{"empty, the default", "", "http2client=0,goindex=0 "},
		{"full, by go env -w", "", "http2client=0 "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("GOCACHE", c.cache)
			if c.cache == "" {
				_ = os.Unsetenv("GOCACHE") // until the test ends
			}
			if strings.Contains(c.name, "go env -w") {
				writeFile(t, env, "GOCACHE="+full+"\n")
			}
			dirs, err := new(Modules).list(t.Context(), dir, []string{"example.com/shop"}, nil)
			if got := dirs["example.com/shop"]; got != c.want || err != nil {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
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
