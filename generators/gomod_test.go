package generators

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// The versions that projects are told to require are those that this module requires.
func TestNeedsAreThoseOfGoMod(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", content, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(mod.Go.Version+".", neededGo+".") {
		t.Errorf("go.mod has Go %s, projects are told %s", mod.Go.Version, neededGo)
	}
	if mod.Module.Mod.Path != ownModule {
		t.Errorf("the module is %s, not %s", mod.Module.Mod.Path, ownModule)
	}
	compared := 0
	for _, require := range mod.Require {
		for _, need := range needs {
			if require.Mod.Path == need.module {
				compared++
			}
			if require.Mod.Path == need.module && semver.MajorMinor(require.Mod.Version) != semver.MajorMinor(need.version) {
				t.Errorf("go.mod requires %s %s, projects are told %s", need.module, require.Mod.Version, need.version)
			}
		}
	}
	if compared != len(needs)-1 { // controller-runtime is not required here
		t.Errorf("%d of %d modules are those of go.mod", compared, len(needs))
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
