package generators

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// Whatever compiles, compiles with --minimal, and with --clients where there is no
// clientset.
func TestMinimalCompiles(t *testing.T) {
	t.Parallel()
	if _, err := exports(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"clientset_accessors", "clientset_group_go_names", "generic_bases", "groups", "indexes", "internal", "kinds_names", "kinds_own_names",
		"listers_expansions", "output_names", "types", "verbs", "version_names",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(filepath.Join("testdata", name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			options, root := scriptOptions(t, string(archive.Comment)), t.TempDir()
			for _, file := range archive.Files {
				if file.Name != "want" {
					writeFile(t, filepath.Join(root, file.Name), string(file.Data))
				}
			}
			writeDeepCopies(t, root)
			options.Dir, options.List = filepath.Join(root, options.Dir), false
			options.Minimal, options.Clients = true, !options.types().HasClientset()
			result := mustRun(t, options)
			for _, problem := range compile(root) {
				if isOutput(options, root, result.Changes, problem.Pos.Filename) {
					t.Errorf("generated code does not compile: %v", problem)
				}
			}
			if len(result.Changes) == 0 {
				t.Error("nothing was generated")
			}
		})
	}
}

// A program that compiles with the minimal output compiles with all of it.
func TestMinimalIsAPart(t *testing.T) {
	t.Parallel()
	if _, err := exports(); err != nil {
		t.Fatal(err)
	}
	options := project(t)
	writeFile(t, filepath.Join(options.Dir, "program/program.go"), `package program

import (
	"context"

	"github.com/informer-gen/informer-gen/runtime/source"
	"example.com/shop/api/v1"
	"example.com/shop/pkg/generated/informers"
	orderinformers "example.com/shop/pkg/generated/informers/shop/v1"
	orderlisters "example.com/shop/pkg/generated/listers/shop/v1"
)

var (
	_ orderinformers.OrderIndexers
	_ orderinformers.OrderFilteringHandler
	_ orderinformers.OrderDetailedHandlerFuncs
)

func Run(ctx context.Context, client *source.Client) error {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("team"))
	defer factory.Shutdown()
	var orders orderinformers.TypedOrderInformer = factory.Shop().V1().Orders()
	var informer orderinformers.OrderIndexInformer = orders.TypedInformer()
	var lister orderlisters.OrderLister = orders.Lister()
	_ = lister.Orders("team")
	_, err := informer.AddTypedEventHandler(orderinformers.OrderHandlerFuncs{
		AddFunc:    func(*v1.Order) {},
		DeleteFunc: func(orderinformers.DeletedOrder) {},
	})
	if err != nil {
		return err
	}
	factory.StartWithContext(ctx)
	return factory.WaitForSyncOrStuck(ctx)
}
`)
	for _, minimal := range []bool{true, false} {
		options.Minimal = minimal
		mustRun(t, options)
		for _, problem := range compile(options.Dir) {
			t.Errorf("minimal %v: %v", minimal, problem)
		}
	}
}

// What is not written any more goes, and an expansion that was written by hand stays
// and is used.
func TestMinimalRemovesTheRest(t *testing.T) {
	t.Parallel()
	options := project(t)
	mustRun(t, options)
	expansion := filepath.Join(options.Dir, "pkg/generated/listers/shop/v1/order_expansion.go")
	writeFile(t, expansion, "package v1\n\ntype OrderListerExpansion interface{}\n\ntype OrderNamespaceListerExpansion interface{}\n")
	options.Minimal = true
	var gone []string
	for _, change := range mustRun(t, options).Changes {
		if change.Kind == output.Removed {
			gone = append(gone, strings.TrimPrefix(change.Path, "pkg/generated/"))
		}
	}
	slices.Sort(gone)
	want := []string{
		"informers/generic.go", "informers/internalinterfaces/factory_interfaces.go", "informers/shop/v1/constructors.go",
		"listers/shop/v1/expansion_generated.go",
	}
	if diff := cmp.Diff(want, gone); diff != "" {
		t.Error(diff)
	}
	if paths.Exists(filepath.Join(options.Dir, "pkg/generated/informers/internalinterfaces")) || !paths.Exists(expansion) {
		t.Error("an empty folder is left, or the expansion is not")
	}
	if lister := contents(t, options)["listers/shop/v1/order.go"]; strings.Contains(lister, "Expansion") {
		t.Error("lister of another folder: refers to an expansion that is not there")
	}
	lister := snapshot(t, filepath.Dir(expansion))[filepath.Join(filepath.Dir(expansion), "order.go")]
	if !strings.Contains(lister, "\tOrderListerExpansion\n") || !strings.Contains(lister, "\tOrderNamespaceListerExpansion\n") {
		t.Errorf("lister beside a hand-written expansion: does not use it:\n%s", lister)
	}
	options.Verify = true
	mustRun(t, options)
}
