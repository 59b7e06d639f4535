package generators

import (
	"os"
	"strings"
	"testing"

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
