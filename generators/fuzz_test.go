package generators

import (
	"errors"
	"go/scanner"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRun feeds an API package to the whole generator. Whatever it is, there is
// no panic: either code that parses, or an error that is about the input.
func FuzzRun(f *testing.F) {
	for _, pattern := range []string{"../testdata/*/apis/*/*/types.go", "../testdata/*/api/*/*_types.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			f.Fatalf("no seeds: %v", err)
		}
		for _, name := range names {
			source, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(string(source))
		}
	}
	f.Add(orderType)
	f.Fuzz(func(t *testing.T, source string) {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "go.mod"), "module example.com/fuzz\n")
		writeFile(t, filepath.Join(dir, "api/v1/types.go"), source)
		_, err := Run(t.Context(), Options{Dir: dir, Patterns: []string{"./..."}, Mode: Verify})
		list := scanner.ErrorList(nil)
		if err != nil && !errors.Is(err, ErrDiffers) && !errors.Is(err, ErrNothing) && !errors.As(err, &list) {
			t.Errorf("%v\n%s", err, source)
		}
	})
}
