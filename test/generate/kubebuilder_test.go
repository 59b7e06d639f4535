package generate

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/informer-gen/informer-gen/internal/pages"
)

// The page docs/kubebuilder.md, followed to the letter, but for the programs that are not of
// Go: each block of it is a file, a part of one, or commands.
func TestKubebuilderPage(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "kubebuilder.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	shop := newUser(t)
	shop.files = archive.Files
	shop.add("scaffold/")
	shop.run("go", "mod", "tidy")
	for _, block := range pages.Parse("docs/kubebuilder.md", read(t, "docs/kubebuilder.md")).Blocks {
		switch {
		case block.Language == "sh":
			for line := range strings.Lines(block.Text) {
				shop.follow(line)
			}
		case block.Language == "yaml":
		case block.Language == "go":
			shop.take(block)
		default:
			t.Errorf("docs/kubebuilder.md:%d: nothing is done with a block of %s", block.Line, block.Language)
		}
	}
	shop.run("go", "vet", "./...")
	shop.run("go", "tool", "informer-gen", "--clients", "--minimal", "--verify", "./api/...")
}

// follow runs a command of the page if it is the go command's.
func (u *user) follow(line string) {
	u.t.Helper()
	switch words := strings.Fields(line); {
	case line == "make generate\n":
		u.add("generated/")
	case words[0] == "go" && words[1] != "run":
		u.run(words...)
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
			return strings.Replace(text, "\t"+marker[1], block.Text+"\n\t"+marker[1], 1)
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
