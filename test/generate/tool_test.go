package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	// What the tool is made of: so that go test does not take a result for
	// cached when it has changed.
	_ "github.com/informer-gen/informer-gen/generators"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// checkout is the root of the repository.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := scratch.Dir(t.Context(), scratch.Runtime)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// project makes a module in a temporary directory that uses the checkout in
// place of a released informer-gen, and returns the directory.
func project(t *testing.T, module string, require ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := scratch.Module(dir, checkout(t), module, require...); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inProject runs a command in a project and returns what it printed. The go
// command completes go.mod by itself.
func inProject(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	return inEnviron(t, dir, scratch.Environ(dir), name, args...)
}

// inEnviron is inProject in another environment.
func inEnviron(t *testing.T, dir string, environ []string, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append(environ, "GOGC=400") // most of the time is the compiler's
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, output.String())
	}
	return output.String(), err
}

func mustRun(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	output, err := inProject(t, dir, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

// buildTool builds informer-gen and returns its path.
func buildTool(t *testing.T) string {
	t.Helper()
	return filepath.Join(build(t, scratch.InformerGen), "informer-gen")
}

// built has the tools that were built: below dir, each in a folder of its import path, and the
// functions that build them once.
var built struct {
	dir   string
	tools sync.Map
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "tools")
	if err != nil {
		log.Fatal(err)
	}
	built.dir = dir
	status := m.Run()
	if _, err := os.Stat(filepath.Join(dir, "proxy")); err == nil {
		proxy, err := released()
		if err == nil {
			err = proxy.forget()
		}
		if err != nil {
			log.Print(err)
			status = 1
		}
	}
	os.RemoveAll(dir)
	os.Exit(status)
}

// build builds tools, each once, and returns a directory of the test that they are in.
func build(t *testing.T, tools ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, tool := range tools {
		once, _ := built.tools.LoadOrStore(tool, sync.OnceValue(func() error {
			return scratch.Build(context.Background(), filepath.Join(built.dir, tool), tool)
		}))
		if err := once.(func() error)(); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(built.dir, tool, path.Base(tool)), filepath.Join(dir, path.Base(tool))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func exitStatus(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		return -1
	}
	return 0
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// files lists the regular files below dir by their slash path.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		found = append(found, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
