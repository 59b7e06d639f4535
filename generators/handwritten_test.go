package generators

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Names that were written by hand beside the output, and that the output has too, are
// reported; nothing is written then.
func TestNamesWrittenByHand(t *testing.T) {
	t.Parallel()
	const informers, listers = "pkg/generated/informers/", "pkg/generated/listers/shop/v1/"
	for name, test := range map[string]struct{ file, source, want string }{
		"a lister": {listers + "mine.go", "package v1\n\ntype OrderLister interface{}\n",
			"mine.go:3:6: output: OrderLister is declared here and in order.go, which is generated beside it; rename it, or move it to another package"},
		"a method": {listers + "mine.go", "package v1\n\nfunc (l *orderLister) Orders() {}\n",
			"mine.go:3:23: output: orderLister.Orders is declared here and in order.go, which is generated beside it; rename it, or move it to another package"},
		"a function": {informers + "mine.go", "package informers\n\nfunc NewSharedInformerFactory() {}\n",
			"mine.go:3:6: output: NewSharedInformerFactory is declared here and in factory.go, which is generated beside it; rename it, or move it to another package"},
		"a variable that generated code imports": {informers + "shop/v1/mine.go", "package v1\n\nvar other, factory int\n",
			"mine.go:3:12: output: factory is declared here and imported in constructors.go, which is generated beside it; rename it, or move it to another package"},
		"an import that generated code declares": {informers + "shop/v1/mine.go", "package v1\n\nimport version \"strings\"\n\nvar _ = version.Cut\n",
			"mine.go:3:8: output: version is imported here and declared in interface.go, which is generated beside it; rename it, or move it to another package"},
		"an expansion without the interface of namespaces": {listers + "order_expansion.go", "package v1\n\ntype OrderListerExpansion any\n",
			"order_expansion.go: expansion: OrderNamespaceListerExpansion is not declared, though the file takes the place of it; declare that interface, or rename the file"},
		"an expansion that is not built": {listers + "order_expansion.go", "//go:build ignore\n\npackage v1\n\ntype OrderListerExpansion any\n",
			"order_expansion.go: expansion: OrderListerExpansion is not declared, though the file takes the place of it; declare that interface, or rename the file"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := project(t)
			writeFile(t, filepath.Join(options.Dir, test.file), test.source)
			before := snapshot(t, options.Dir)
			_, err := Run(t.Context(), options)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want %q", err, test.want)
			}
			if diff := cmp.Diff(before, snapshot(t, options.Dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Other names beside the output are nobody's concern, nor are files that are not built.
func TestOtherNamesWrittenByHand(t *testing.T) {
	t.Parallel()
	if _, err := exports(); err != nil {
		t.Fatal(err)
	}
	options := project(t)
	for name, source := range map[string]string{
		"mine.go":            "package v1\n\nimport _ \"strings\"\n\ntype Lister OrderLister\n\nvar _, _ = 1, 2\n\nfunc init() {}\n\nfunc (l *orderLister) Mine() {}\n",
		"another.go":         "package v1\n\nfunc init() {}\n",
		"ignored.go":         "//go:build ignore\n\npackage v1\n\ntype OrderLister any\n",
		"order_test.go":      "package v1_test\n\ntype OrderLister any\n",
		"order_expansion.go": "package v1\n\ntype OrderListerExpansion interface{ Mine() }\n\ntype OrderNamespaceListerExpansion any\n",
	} {
		writeFile(t, filepath.Join(options.Dir, "pkg/generated/listers/shop/v1", name), source)
	}
	for range 2 { // the second run finds the files that it would write
		generates(t, options, "Order api/v1/types.go:7:6")
	}
}
