package generate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// What the tool is made of: so that go test does not take a result for
	// cached when it has changed.
	_ "github.com/informer-gen/informer-gen/generators"
)

// checkout is the root of the repository.
func checkout(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// project makes a module in a temporary directory that uses the checkout in
// place of a released informer-gen, and returns the directory. Its other
// dependencies are those of this module, at the same versions, and so are in
// the module cache.
func project(t *testing.T, module string, require ...string) string {
	t.Helper()
	dir := t.TempDir()
	projectIn(t, dir, module, require...)
	return dir
}

// projectIn is project in an empty directory of the caller.
func projectIn(t *testing.T, dir, module string, require ...string) {
	t.Helper()
	lines := []string{
		"module " + module, "", "go 1.26.0", "",
		"require github.com/informer-gen/informer-gen v0.0.0",
	}
	for _, path := range require {
		lines = append(lines, "require "+path)
	}
	lines = append(lines, "replace github.com/informer-gen/informer-gen => "+checkout(t), "")
	write(t, filepath.Join(dir, "go.mod"), strings.Join(lines, "\n"))
	var sums []byte
	for _, file := range []string{"go.sum", "test/go.sum"} {
		sum, err := os.ReadFile(filepath.Join(checkout(t), file))
		if err != nil {
			t.Fatal(err)
		}
		sums = append(sums, sum...)
	}
	write(t, filepath.Join(dir, "go.sum"), string(sums))
}

// inProject runs a command in a project and returns what it printed. The go
// command completes go.mod by itself.
func inProject(t *testing.T, dir, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PWD="+dir)
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
	tool := filepath.Join(t.TempDir(), "informer-gen")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", tool, "./cmd/informer-gen")
	command.Dir = checkout(t)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("go build ./cmd/informer-gen: %v\n%s", err, output)
	}
	return tool
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
