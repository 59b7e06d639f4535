package generate

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/informer-gen/informer-gen/internal/pages"
)

// The page docs/kubebuilder.md, followed to the letter and to its end: each block of it is a
// file, a part of one, or commands. In place of kubebuilder, make, kubectl and curl, which may
// not be installed, the test does the same.
func TestKubebuilderPage(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "kubebuilder.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	shop := newUser(t)
	shop.files = archive.Files
	shop.add("scaffold/")
	shop.run("go", "mod", "tidy")
	cluster := &cluster{t: t, ports: map[string]string{}, answers: map[string]string{}}
	for _, block := range pages.Parse("docs/kubebuilder.md", read(t, "docs/kubebuilder.md")).Blocks {
		switch {
		case block.Heading == "The way back":
			cluster.wantFollowed()
			shop.wantComplete()
			shop.goBack(block)
		case block.Language == "sh":
			for line := range strings.Lines(block.Text) {
				shop.follow(line, cluster)
			}
		case block.Language == "yaml":
			shop.write(block.File(), block.Text)
		case block.Language == "go":
			shop.take(block)
		default:
			t.Errorf("docs/kubebuilder.md:%d: nothing is done with a block of %s", block.Line, block.Language)
		}
	}
	if gomod := shop.read("go.mod"); strings.Contains(gomod, "informer-gen") {
		t.Errorf("go.mod after the way back: %s", gomod)
	}
	shop.run("go", "build", "./...")
	get, _, _ := strings.Cut(codeBelow(t, "docs/controller-runtime.md", "The change"), " # ")
	shop.run(strings.Fields(get)...)
	shop.stream()
	shop.run("go", "mod", "tidy")
	shop.run("go", "build", "./...")
}

// wantComplete wants the project of the page to compile, and its files to be as the tools write them.
func (u *user) wantComplete() {
	u.t.Helper()
	u.run("go", "build", "./...")
	if unformatted := u.run("gofmt", "-l", "api", "cmd", "internal", "pkg"); unformatted != "" {
		u.t.Errorf("gofmt would change %s", unformatted)
	}
	u.run("go", "tool", "informer-gen", "--clients", "--minimal", "--verify", "./api/...")
}

// goBack restores the program that kubebuilder wrote, and runs the commands of a block.
func (u *user) goBack(block pages.Block) {
	u.t.Helper()
	for _, file := range u.files {
		if file.Name == "scaffold/cmd/main.go" {
			u.write(block.File(), string(file.Data))
		}
	}
	for line := range strings.Lines(block.Text) {
		u.run(strings.Fields(line)...)
	}
}

// stream has the informers of this module in the cache of the manager, by the lines that README.md has for
// kubebuilder's cmd/main.go. An option of the cache that the author has set stays.
func (u *user) stream() {
	u.t.Helper()
	imported, lines, _ := strings.Cut(strings.TrimPrefix(codeBelow(u.t, "README.md", aManager), "import "), "…\n")
	u.edit("cmd/main.go", func(text string) string {
		text = strings.Replace(text, "\t// +kubebuilder:scaffold:imports", "\t\"sigs.k8s.io/controller-runtime/pkg/cache\"\n\t"+imported+"\t// +kubebuilder:scaffold:imports", 1)
		return managerCall.ReplaceAllStringFunc(text, func(call string) string {
			_, options, _ := strings.Cut(call, "ctrl.Options{\n")
			return "\toptions := ctrl.Options{\n\t\tCache: cache.Options{ReaderFailOnMissingInformer: true},\n" + strings.TrimSuffix(options, ")\n") + "\n" + lines
		})
	})
}

// managerCall is the call in kubebuilder's cmd/main.go that the lines take the place of.
var managerCall = regexp.MustCompile(`(?s)\tmgr, err := ctrl\.NewManager\(ctrl\.GetConfigOrDie\(\), ctrl\.Options\{\n.*?\n\t\}\)\n`)

// follow runs a command of the page, or does what it does. Those of kubebuilder have been
// done: they wrote the scaffold.
func (u *user) follow(line string, cluster *cluster) {
	u.t.Helper()
	words := strings.Fields(line)
	switch words[0] {
	case "mkdir", "kubebuilder", "git", "cd", "export":
	case "make":
		u.make(words[1:], cluster)
	case "go":
		if words[1] == "run" {
			cluster.run(u, words[2], words[3:])
			return
		}
		u.run(words...)
	case "kubectl":
		cluster.kubectl(u, words[1:])
	case "curl":
		cluster.curl(words[1:])
	default:
		u.t.Errorf("docs/kubebuilder.md: nothing is done for %q", line)
	}
}

// make does what targets of kubebuilder's Makefile do.
func (u *user) make(targets []string, cluster *cluster) {
	u.t.Helper()
	for _, target := range targets {
		switch target {
		case "generate":
			u.add("generated/")
		case "manifests":
			u.add("manifests/")
		case "server":
			cluster.serve()
			return // the next word is where the kubeconfig goes
		case "install":
			cluster.apply(u, "config/crd/bases/shop.example.com_orders.yaml")
		default:
			u.t.Errorf("docs/kubebuilder.md: nothing is done for make %s", target)
		}
	}
}

var (
	scaffoldMarker = regexp.MustCompile("above `(// \\+kubebuilder:scaffold:[a-z]+)`")
	scaffoldTypes  = regexp.MustCompile(`(?s)// OrderSpec defines.*?(// \+kubebuilder:object:root)`)
)

// take puts code of the page where the paragraph above it says.
func (u *user) take(block pages.Block) {
	u.t.Helper()
	name := block.File()
	if marker := scaffoldMarker.FindStringSubmatch(block.Before); marker != nil {
		u.edit(name, func(text string) string {
			return strings.Replace(text, "\t"+marker[1], block.Text+"\t"+marker[1], 1)
		})
		return
	}
	if strings.HasPrefix(block.Text, "package ") || strings.HasPrefix(block.Text, "// Package ") {
		u.write(name, block.Text)
		return
	}
	u.edit(name, func(text string) string {
		return scaffoldTypes.ReplaceAllString(text, block.Text+"\n$1")
	})
}
