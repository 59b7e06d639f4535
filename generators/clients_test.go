package generators

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// methodsOf are the methods of a kind's interface in generated clients, by kind.
func methodsOf(t *testing.T, files map[string]string) map[string]string {
	t.Helper()
	found := map[string]string{}
	for name, content := range files {
		if !strings.HasPrefix(name, "clients/") || filepath.Base(name) == "interface.go" || name == "clients/clients.go" {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok {
				var methods []string
				for _, method := range spec.Type.(*ast.InterfaceType).Methods.List {
					methods = append(methods, method.Names[0].Name)
				}
				found[strings.TrimSuffix(spec.Name.Name, "Interface")] = strings.Join(methods, " ")
			}
			return true
		})
	}
	return found
}

func TestClientMethods(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/clients.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range archive.Files {
		writeFile(t, filepath.Join(dir, file.Name), string(file.Data))
	}
	writeDeepCopies(t, dir)
	got := methodsOf(t, contents(t, Options{Dir: dir, Patterns: []string{"./..."}, Clients: true}))
	const all, withoutStatus = "Create Update UpdateStatus Delete DeleteCollection Get List Watch Patch Apply ApplyStatus", "Create Update Delete DeleteCollection Get Watch Patch Apply"
	want := map[string]string{
		"Order":          all,
		"Derived":        strings.ReplaceAll(all, " List", ""),
		"Stateless":      withoutStatus,
		"Review":         "Create",
		"Scaled":         withoutStatus,
		"Types":          withoutStatus,
		"OrderInterface": withoutStatus,
		"Good":           all,
		"Forgotten":      all,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestClientsBesideAClientset(t *testing.T) {
	t.Parallel()
	options := Options{Patterns: []string{"./..."}, Clients: true, VersionedClientset: "example.com/shop/clientset"}
	if err := options.Validate(); err == nil || !strings.HasPrefix(err.Error(), "--clients: ") {
		t.Errorf("got %v", err)
	}
}

// Lists need DeepCopyObject for clients only.
func TestListsOfClientsAreCopied(t *testing.T) {
	t.Parallel()
	options := project(t)
	list := "type OrderList struct {\n\tmetav1.TypeMeta\n\tmetav1.ListMeta\n\tItems []Order\n}\n"
	writeFile(t, filepath.Join(options.Dir, "api/v1/types.go"), strings.Replace(orderType, "+genclient", "+kubebuilder:object:root=true", 1)+list)
	writeFile(t, filepath.Join(options.Dir, "api/v1/zz_generated.deepcopy.go"), "package v1\n\nfunc (in *Order) DeepCopyObject() runtime.Object { return in }\n")
	mustRun(t, options)
	options.Clients = true
	_, err := Run(t.Context(), options)
	if err == nil || !strings.Contains(err.Error(), "OrderList: no method DeepCopyObject; run controller-gen object paths=./api/v1 first") {
		t.Errorf("got %v", err)
	}
}

// Without the flag, the clients of an earlier run go, unless they may be another run's.
func TestClientsAreSwitchedOff(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]bool{"one factory": false, "two factories": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options := project(t)
			options.Clients = true
			mustRun(t, options)
			if others {
				options.OutputDir = "pkg/generated/others"
			}
			options.Clients = false
			gone, told := 0, false
			result := mustRun(t, options)
			for _, warning := range result.Warnings {
				told = told || warning.Pos.Filename == "pkg/generated/clients/clients.go" &&
					warning.Msg == "clients: an earlier run wrote pkg/generated/clients with --clients, which this one lacks, so that they are removed; add --clients to keep them"
			}
			if told == others {
				t.Errorf("warnings: %v", result.Warnings)
			}
			for _, change := range result.Changes {
				if change.Kind == output.Removed {
					gone++
				}
			}
			if stands := paths.Exists(filepath.Join(options.Dir, "pkg/generated/clients/clients.go")); stands != others {
				t.Errorf("clients.go stands: %v; %d files removed", stands, gone)
			}
			if want := map[bool]int{false: 4}[others]; gone != want {
				t.Errorf("removed %d files, want %d", gone, want)
			}
		})
	}
}

// Those of a type that is called otherwise in generated code go as well.
func TestRenamedClientsAreSwitchedOff(t *testing.T) {
	t.Parallel()
	options := project(t)
	writeFile(t, filepath.Join(options.Dir, "api/v1/new.go"), strings.ReplaceAll(refundType, "Refund", "NewOrder"))
	writeDeepCopies(t, options.Dir)
	options.Clients = true
	if result := mustRun(t, options); !paths.Exists(filepath.Join(options.Dir, "pkg/generated/clients/shop/v1/neworderkind.go")) {
		t.Fatalf("the type was not renamed: %v", result.Warnings)
	}
	options.Clients = false
	mustRun(t, options)
	if left := snapshot(t, filepath.Join(options.Dir, "pkg/generated")); slices.ContainsFunc(slices.Collect(maps.Keys(left)), func(name string) bool { return strings.Contains(name, "/clients/") }) {
		t.Errorf("clients are left: %v", slices.Sorted(maps.Keys(left)))
	}
}

// They go also when a clientset takes their place.
func TestAClientsetReplacesClients(t *testing.T) {
	t.Parallel()
	options := project(t)
	clients := filepath.Join(options.Dir, "pkg/generated/clients")
	options.Clients = true
	mustRun(t, options)
	if !paths.Exists(clients) {
		t.Fatal("no clients were written")
	}
	options.Clients, options.VersionedClientset = false, "example.com/shop/clientset"
	mustRun(t, options)
	if paths.Exists(clients) {
		t.Error("clients are still there")
	}
}

// The client of a type goes with it.
func TestStaleClients(t *testing.T) {
	t.Parallel()
	options := twoPackages(t)
	options.Clients = true
	mustRun(t, options)
	options.Exclude = []string{"Sale"}
	mustRun(t, options)
	for name, stands := range map[string]bool{"clients.go": true, "shop/v1/order.go": true, "sales": false} {
		if paths.Exists(filepath.Join(options.Dir, "pkg/generated/clients", name)) != stands {
			t.Errorf("%s: want %v", name, stands)
		}
	}
}
