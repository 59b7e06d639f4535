package generate

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/txtar"

	"github.com/informer-gen/informer-gen/internal/pages"
	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// This is the whole way of a user. A stock kubebuilder project that has never heard of informer-gen gets it
// as a tool from a module proxy, by the commands of the README. The generated code builds as they leave it.
// A controller on it, and its unit test on cachetest, compile and pass. The check of CI passes, until it
// must fail. When a type goes, so do its files.
func TestWholeWay(t *testing.T) {
	t.Parallel()
	shop := newUser(t)
	for _, folder := range []string{"api", "config"} {
		if err := os.CopyFS(filepath.Join(shop.dir, folder), os.DirFS(filepath.Join(checkout(t), "testdata", "kubebuilder", folder))); err != nil {
			t.Fatal(err)
		}
	}
	shop.add("shop/")
	shop.run("go", "mod", "tidy")

	get, generate, tidy := readmeCommands(t)
	shop.run(get...)
	output := shop.run(generate...)
	if !strings.HasSuffix(strings.TrimSpace(output), "; run "+strings.Join(tidy, " ")+" next") {
		t.Errorf("after %q: got %q, want to be told to run %q", generate, output, tidy)
	}
	shop.run(tidy...)
	shop.run("go", "build", "./...")
	wantGenerated(t, shop.dir)
	shop.write("cmd/watch/main.go", readmeProgram(t))
	shop.run("go", "vet", "./cmd/watch")

	shop.add("controller/")
	shop.run("go", "mod", "tidy")
	shop.run("go", "build", "./...")
	shop.run("go", "test", "./internal/...")

	verify := slices.Concat(generate, []string{"--verify", "--crds", "config/crd/bases", "--strict"})
	if output := shop.run(verify...); !strings.Contains(output, "up to date") || strings.Contains(output, "next") {
		t.Errorf("%q: got %q", verify, output)
	}
	shop.withoutShipments()
	if output := shop.fails(verify...); !strings.Contains(output, "stale: pkg/generated/informers/shop/v1alpha1/shipment.go") {
		t.Errorf("%q after a type went: got %q", verify, output)
	}
	output = shop.run(generate...)
	for _, folder := range []string{"informers", "listers"} {
		wantRemoved(t, output, filepath.Join("pkg", "generated", folder, "shop", "v1alpha1", "shipment.go"))
	}
	shop.run(verify...)
	shop.run("go", "build", "./...")
}

// In an older project, code-generator wrote the clientset, listers and informers. It goes over to
// informer-gen by the steps of the recipe, at a time when a type of its API has gone. The files of that
// type are removed and named, and its program compiles as it was.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	older := newUser(t)
	older.add("older/")
	theirs := build(t, scratch.UpstreamClientGen, scratch.UpstreamListerGen, scratch.UpstreamInformerGen)
	const api, client = "example.com/shop/pkg/apis/shop/v1", "example.com/shop/pkg/client/"
	clientGen := func() {
		older.run(filepath.Join(theirs, "client-gen"), "--input-base", "", "--input", api, "--clientset-name", "versioned",
			"--output-dir", "pkg/client/clientset", "--output-pkg", client+"clientset")
	}
	older.run("go", "mod", "tidy")
	clientGen()
	older.run(filepath.Join(theirs, "lister-gen"), "--output-dir", "pkg/client/listers", "--output-pkg", client+"listers", api)
	older.run(filepath.Join(theirs, "informer-gen"), "--output-dir", "pkg/client/informers", "--output-pkg", client+"informers",
		"--versioned-clientset-package", client+"clientset/versioned", "--listers-package", client+"listers", api)
	older.add("program/")
	older.run("go", "get", "k8s.io/client-go@"+libraries)
	older.run("go", "mod", "tidy")
	older.run("go", "build", "./...")

	older.remove("pkg/apis/shop/v1/basket.go")
	older.remove("pkg/client/clientset")
	clientGen()
	get, _, tidy := readmeCommands(t)
	older.run(get...)
	older.remove("pkg/client/listers")
	script := filepath.Join("hack", "update-codegen.sh")
	older.write(script, codeBelow(t, "docs/recipes.md", "hack/update-codegen.sh"))
	output := older.run("bash", script)
	wantRemoved(t, output, filepath.Join("pkg", "client", "informers", "externalversions", "shop", "v1", "basket.go"))
	older.run(tidy...)
	older.run("go", "build", "./...")
	older.run("bash", script, "--verify")
}

// A program has informers of Kubernetes' own types, from client-go's factory. It runs on this module's
// informers when the recipe has generated them and one line of it has changed: an import.
func TestOneImport(t *testing.T) {
	t.Parallel()
	program := newUser(t)
	program.add("pods/")
	program.run("go", "mod", "tidy")
	const own = "github.com/informer-gen/informer-gen/"
	const found = "pod before\ndeployment after\n1 pod\n"
	if output := program.run("go", "run", "."); !strings.HasPrefix(output, found) || strings.Contains(output, own) {
		t.Errorf("on client-go's informers: got %q, want %q", output, found)
	}

	get, _, tidy := readmeCommands(t)
	program.run(get...)
	program.write("hack/kube.sh", codeBelow(t, "docs/recipes.md", "Kubernetes' own types"))
	program.run("sh", "-e", "hack/kube.sh")
	program.edit("main.go", func(text string) string {
		return strings.Replace(text, `"k8s.io/client-go/informers"`, `"example.com/shop/pkg/kube/informers"`, 1)
	})
	program.run(tidy...)
	output := logLines.ReplaceAllString(program.run("go", "run", "."), "")
	if !strings.HasPrefix(output, found) || !strings.Contains(output, "informers are of "+own) {
		t.Errorf("on generated informers: got %q, want %q", output, found)
	}
}

// logLines matches the lines of klog.
var logLines = regexp.MustCompile(`(?m)^I\d{4} .*\n`)

func wantRemoved(t *testing.T, output, file string) {
	t.Helper()
	if !regexp.MustCompile(`(?m)^remove +` + regexp.QuoteMeta(file) + `$`).MatchString(output) {
		t.Errorf("removal of %s: not told in %q", file, output)
	}
}

// user has a project in a module of its own.
type user struct {
	t     *testing.T
	dir   string
	proxy proxy
	// files are the files of testdata/way.txtar.
	files []txtar.File
}

// newUser makes an empty project that depends on other modules at the versions of
// this one, which are in the caches; only informer-gen it has never heard of.
func newUser(t *testing.T) *user {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "way.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	proxy, err := released()
	if err != nil {
		t.Fatal(err)
	}
	u := &user{t: t, dir: t.TempDir(), proxy: proxy, files: archive.Files}
	gomod, gosum := read(t, "test/go.mod"), read(t, "test/go.sum")
	mod, err := modfile.Parse("go.mod", []byte(gomod), nil)
	if err != nil {
		t.Fatal(err)
	}
	err = mod.AddModuleStmt("example.com/shop")
	for _, of := range slices.Clone(mod.Replace) { // modules of this checkout
		err = errors.Join(err, mod.DropRequire(of.Old.Path), mod.DropReplace(of.Old.Path, ""))
	}
	for _, tool := range mod.Tool {
		err = errors.Join(err, mod.DropTool(tool.Path))
	}
	mod.Cleanup()
	formatted, formatErr := mod.Format()
	if err := errors.Join(err, formatErr); err != nil {
		t.Fatal(err)
	}
	u.write("go.mod", string(formatted))
	u.write("go.sum", gosum)
	return u
}

// add writes the files below a folder of the archive.
func (u *user) add(folder string) {
	u.t.Helper()
	for _, file := range u.files {
		if name, ok := strings.CutPrefix(file.Name, folder); ok {
			u.write(name, string(file.Data))
		}
	}
}

func (u *user) write(name, text string) {
	u.t.Helper()
	write(u.t, filepath.Join(u.dir, filepath.FromSlash(name)), text)
}

func (u *user) read(name string) string {
	u.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.dir, filepath.FromSlash(name)))
	if err != nil {
		u.t.Fatal(err)
	}
	return string(text)
}

func (u *user) remove(names ...string) {
	u.t.Helper()
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(u.dir, filepath.FromSlash(name))); err != nil {
			u.t.Fatal(err)
		}
	}
}

// edit changes a file, and fails the test if nothing changes.
func (u *user) edit(name string, change func(string) string) {
	u.t.Helper()
	text := u.read(name)
	changed := change(text)
	if changed == text {
		u.t.Fatalf("%s: nothing to change", name)
	}
	u.write(name, changed)
}

// run runs a command of the project, which must succeed, and returns what it
// printed. What is not in the module cache yet is downloaded.
func (u *user) run(command ...string) string {
	u.t.Helper()
	output, err := inEnviron(u.t, u.dir, u.environ(u.proxy.offline()), command[0], command[1:]...)
	if err != nil && strings.Contains(output, "GOPROXY=off") {
		output, err = inEnviron(u.t, u.dir, u.environ(u.proxy.online(u.t)), command[0], command[1:]...)
	}
	if err != nil {
		u.t.Fatal(err)
	}
	return output
}

// environ returns the environment of the test with more, and with nothing that the user has not set.
func (u *user) environ(more []string) []string {
	return append(os.Environ(), append(more, "GOFLAGS=", "GOWORK=off", "PWD="+u.dir)...)
}

// fails runs a command of the project that must fail, and returns what it printed.
func (u *user) fails(command ...string) string {
	u.t.Helper()
	output, err := inEnviron(u.t, u.dir, u.environ(u.proxy.offline()), command[0], command[1:]...)
	if exitStatus(err) != 1 {
		u.t.Fatalf("%q: got %v and %q, want exit status 1", command, err, output)
	}
	return output
}

var shipmentMethods = regexp.MustCompile(`(?ms)^// DeepCopy[^\n]*\nfunc \(in \*Shipment.*?^}\n\n`)

// withoutShipments removes a type of the API, as controller-gen would.
func (u *user) withoutShipments() {
	u.t.Helper()
	u.remove("api/v1alpha1/shipment_types.go", "config/crd/bases/shop.example.com_shipments.yaml")
	u.edit("api/v1alpha1/groupversion_info.go", func(text string) string {
		return strings.ReplaceAll(text, "&Shipment{}, &ShipmentList{}, ", "")
	})
	u.edit("api/v1alpha1/zz_generated.deepcopy.go", func(text string) string {
		return shipmentMethods.ReplaceAllString(text, "")
	})
}

// readmeCommands are those that the README tells a user to run: to get the tool, to
// run it, and to complete go.mod.
func readmeCommands(t *testing.T) (get, generate, tidy []string) {
	t.Helper()
	var commands [][]string
	for line := range strings.Lines(codeBelow(t, "README.md", ownTypes)) {
		command, _, _ := strings.Cut(line, " # ")
		commands = append(commands, strings.Fields(command))
	}
	if len(commands) != 3 {
		t.Fatalf("README.md: got commands %q, want 3", commands)
	}
	return commands[0], commands[1], commands[2]
}

// ownTypes and aManager are the headings of the README with code for readers to paste.
const (
	ownTypes = "For your own API types"
	aManager = "In a controller-runtime manager"
)

// Tests paste each block of the README.
func TestReadmeBlocks(t *testing.T) {
	t.Parallel()
	pasted := map[string]int{ownTypes + " console": 1, ownTypes + " go": 2, aManager + " go": 1}
	for _, block := range pages.Parse("README.md", read(t, "README.md")).Blocks {
		name := block.Heading + " " + block.Language
		if block.Language != "text" && pasted[name] != block.Number {
			t.Errorf("README.md:%d: no test pastes block %d of %q", block.Line, block.Number, block.Heading)
		}
		delete(pasted, name)
	}
	for name := range pasted {
		t.Errorf("README.md has no block %q", name)
	}
}

// readmeProgram returns a program with the lines of the README that make a factory, in a function.
func readmeProgram(t *testing.T) string {
	t.Helper()
	block, err := pages.Parse("README.md", read(t, "README.md")).Block(ownTypes, 2)
	if err != nil {
		t.Fatal(err)
	}
	imports, lines, _ := strings.Cut(block.Text, "…\n")
	lines = strings.Replace(lines, "\t…\n", "\torders.Informer()\n", 1)
	return "package main\n\nimport \"context\"\nimport \"k8s.io/client-go/rest\"\n" + imports +
		"\nfunc main() { panic(watch(context.Background(), nil)) }\n\nfunc watch(ctx context.Context, config *rest.Config) error {\n" + lines + "\treturn err\n}\n"
}

// codeBelow returns the first block of code below a heading of a page.
func codeBelow(t *testing.T, page, heading string) string {
	t.Helper()
	parsed := pages.Parse(page, read(t, page))
	block, err := parsed.Block(heading, 1)
	if err != nil {
		t.Fatal(err)
	}
	return block.Text
}

// read returns a file of the checkout.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(checkout(t), filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
