package generators

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// indexed writes the module of a test case about indexes, and returns its options.
func indexed(t *testing.T) Options {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/indexes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	options := scriptOptions(t, string(archive.Comment))
	options.Dir, options.List = t.TempDir(), false
	for _, file := range archive.Files {
		if file.Name != "want" {
			writeFile(t, filepath.Join(options.Dir, file.Name), string(file.Data))
		}
	}
	writeDeepCopies(t, options.Dir)
	return options
}

// Informers have their indexes also if the listers are left out, or stand already.
func TestIndexesWithoutListers(t *testing.T) {
	t.Parallel()
	if _, err := exports(); err != nil {
		t.Fatal(err)
	}
	options := indexed(t)
	mustRun(t, options)
	options.SkipListers, options.ListersPackage = true, "example.com/test/pkg/generated/listers"
	mustRun(t, options)
	for _, problem := range compile(options.Dir) {
		t.Error(problem)
	}
}

// A method that was written by hand, and that an index would have, is reported with both
// places.
func TestIndexMethodsWrittenByHand(t *testing.T) {
	t.Parallel()
	options := indexed(t)
	writeFile(t, filepath.Join(options.Dir, "pkg/generated/listers/shop/v1/order_expansion.go"), `package v1

type OrderListerExpansion interface{ ByNode(int) }

type OrderNamespaceListerExpansion any

func (l *orderLister) ByNode(int) {}

func (l orderNamespaceLister) AllByRef() {}

func (l *otherLister) ByUID() {}
`)
	_, err := Run(t.Context(), options)
	want := "api/v1/types.go:29:5: +informer-gen:index: ByNode is a method that was written by hand at pkg/generated/listers/shop/v1/order_expansion.go:7:23; remove it, or name another: +informer-gen:index=By…"
	if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "and 1 more errors") {
		t.Errorf("got %v\nwant %s, and another", err, want)
	}
}
