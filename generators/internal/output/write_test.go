package output

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// What fails in the midst of replacing files leaves no temporary ones.
func TestFailedReplacement(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a/a.go", "b/b.go", "c/c.go"} {
		writeFile(t, filepath.Join(dir, name), "old\n")
	}
	changes := []Change{creation(dir, "a/a.go"), creation(dir, "b/"+strings.Repeat("x", 300)+".go"), creation(dir, "c/c.go")}
	if err := Apply(t.Context(), changes, []string{dir}); err == nil {
		t.Fatal("a file with a name of 300 letters was written")
	}
	want := map[string]string{filepath.Join(dir, "a/a.go"): "new\n", filepath.Join(dir, "b/b.go"): "old\n", filepath.Join(dir, "c/c.go"): "old\n"}
	if diff := cmp.Diff(want, snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
	if err := Apply(t.Context(), []Change{creation(dir, "d/d.go"), creation(dir, "e/"+strings.Repeat("x", 300)+".go")}, []string{dir}); err == nil {
		t.Fatal("a file with a name of 300 letters was written")
	}
	if diff := cmp.Diff(want, snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// The list of files changes when all that it no longer lists are gone: a run that ends before leaves it
// as it was, so that the next one still finds them.
func TestListChangesLast(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{Updated, Removed} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			list, stale := filepath.Join(dir, "list.txt"), filepath.Join(dir, "stale.txt")
			writeFile(t, list, "old\n")
			writeFile(t, filepath.Join(stale, "is a directory"), "") // which can't be removed
			changes := []Change{
				{Kind: kind, Path: "list.txt", file: list, new: []byte("new\n"), last: true},
				{Kind: Removed, Path: "stale.txt", file: stale},
			}
			if err := Apply(t.Context(), changes, []string{dir}); err == nil {
				t.Fatal("a directory with a file was removed")
			}
			if content, err := os.ReadFile(list); string(content) != "old\n" || err != nil {
				t.Errorf("the list is %q, %v", content, err)
			}
			if err := os.RemoveAll(stale); err != nil {
				t.Fatal(err)
			}
			if err := Apply(t.Context(), changes, []string{dir}); err != nil {
				t.Fatal(err)
			}
			if got := len(snapshot(t, dir)); got != map[string]int{Updated: 1, Removed: 0}[kind] {
				t.Errorf("%d files are left", got)
			}
		})
	}
}

func creation(dir, name string) Change {
	return Change{Kind: Created, Path: name, file: filepath.Join(dir, name), new: []byte("new\n")}
}

// A directory that is new has all of its files when it can be seen, so that a run that is
// killed leaves all of it or nothing.
func TestNewDirectoryAppearsWithAllFiles(t *testing.T) {
	t.Parallel()
	for range 5 {
		dir := t.TempDir()
		var changes []Change
		for i := range 500 {
			changes = append(changes, creation(dir, fmt.Sprintf("pkg/generated/informers/shop/v%d/order%d.go", i%7, i)))
		}
		done := make(chan error)
		go func() { done <- Apply(t.Context(), changes, []string{filepath.Join(dir, "pkg/generated/informers")}) }()
		for !paths.Exists(filepath.Join(dir, "pkg")) {
			runtime.Gosched()
		}
		if found := len(snapshot(t, filepath.Join(dir, "pkg"))); found != len(changes) {
			t.Errorf("%d of %d files are there", found, len(changes))
		}
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if found := len(snapshot(t, dir)); found != len(changes) {
			t.Errorf("%d of %d files are there in the end", found, len(changes))
		}
	}
}

// Two first runs beside each other, whose output has a new directory above it in common, are
// both complete.
func TestNewDirectoryOfTwoRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, second := newStaging(), newStaging()
	for _, step := range []error{
		first.add(creation(dir, "pkg/one/a.go")), first.add(creation(dir, "pkg/both/a.go")),
		second.add(creation(dir, "pkg/two/a.go")), second.add(creation(dir, "pkg/both/a.go")), second.add(creation(dir, "pkg/both/b.go")),
		first.writing.Wait(), second.writing.Wait(),
		first.moves[0].make(), second.moves[0].make(),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	want := map[string]string{}
	for _, name := range []string{"one/a.go", "two/a.go", "both/a.go", "both/b.go"} {
		want[filepath.Join(dir, "pkg", name)] = "new\n"
	}
	if diff := cmp.Diff(want, snapshot(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// The line of a change is the first one that an editor should show.
func TestChangeLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		old, now string
		want     int
	}{
		{"a\nb\nc\n", "a\nx\nc\n", 2},
		{"a\nb\n", "x\nb\n", 1},
		{"a\nb\n", "a\nb\nc\n", 3},
		{"a\nb", "a\nb\nc\n", 2},
		{"a\nb\nc\n", "a\n", 2},
		{"", "a\n", 1},
		{"a\n", "", 1},
	} {
		change := Change{Kind: Updated, old: []byte(c.old), new: []byte(c.now)}
		if got := change.Line(); got != c.want {
			t.Errorf("%q to %q: got line %d, want %d", c.old, c.now, got, c.want)
		}
	}
}

// snapshot lists the files below a directory with their content. Links are left out.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		files[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}
