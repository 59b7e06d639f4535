package apinames

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write api.txt of each public package")

// Every public package of the runtime and of operations, and the data of templates, has its
// listing in api.txt, so that a change of what it exports is seen in review.
func TestPublicPackages(t *testing.T) {
	trackSources(t)
	found := 0
	runtime := load(t, ".", module+"runtime/...", module+"templates")
	for _, pkg := range append(runtime, load(t, "../../../operations", "./...")...) {
		if strings.Contains(pkg.path+"/", "/internal/") {
			continue
		}
		lines := Listing(pkg.types)
		path := filepath.Join(pkg.dir, "api.txt")
		if len(lines) == 0 { // a package of tests
			if _, err := os.Stat(path); err == nil {
				t.Errorf("%s: %s exports nothing", path, pkg.path)
			}
			continue
		}
		found++
		t.Run(strings.TrimPrefix(pkg.path, module), func(t *testing.T) {
			checkListing(t, path, strings.Join(lines, "\n")+"\n")
		})
	}
	if found == 0 {
		t.Error("no public package found")
	}
}

func checkListing(t *testing.T, path, got string) {
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; make api writes it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("what the package exports is not what api.txt says (-api.txt +package); if the change is meant, run make api:\n%s", diff)
	}
}

// trackSources makes the sources of the runtime an input of this test. The go
// command does not see what its own child reads, and would take an old result.
func trackSources(t *testing.T) {
	for _, folder := range []string{"runtime", "operations"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", folder), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestListing(t *testing.T) {
	pkg := load(t, ".", module+"runtime/internal/apinames/testdata/listed")[0]
	const want = `
const First Kind = 1
func New[T Text](ctx context.Context, o Options) (Handler[T], error)
method (*Options) Default()
method (*Options) Rename(name string)
method (Options) Valid() bool
method (Row) Get() T
type Func func(any) (n int)
type Handler[T any] interface
type Handler[T any] interface, Handle(ctx context.Context, objects ...T) error
type Handler[T any] interface, Name() string
type Handler[T any] interface, embeds io.Closer
type Handler[T any] interface, unexported methods
type Kind int
type Options struct
type Options struct, Limit int
type Options struct, Name string
type Options struct, embeds io.Reader
type Reader = io.Reader
type Row[T any] = runtime/internal/apinames/testdata/listed/internal/hidden.Row[T]
type Row[T any] struct, Key T
type Text interface
type Text interface, embeds ~string | ~[]byte
var Failed error`
	got := Listing(pkg.types)
	if diff := cmp.Diff(strings.Split(want, "\n")[1:], got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
