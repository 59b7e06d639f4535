package generate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A stock kubebuilder project needs no flag but the folder of its API. The tool writes informers and
// listers to pkg/generated, and the project compiles. A second run finds nothing to do. The exit status
// tells wrong input and a wrong flag apart, and neither writes anything.
func TestKubebuilderProject(t *testing.T) {
	t.Parallel()
	tool := buildTool(t)
	dir := kubebuilderProject(t)

	mustRun(t, dir, tool, "--input-dirs", "./api/...")
	generated := wantGenerated(t, dir)
	mustRun(t, dir, "go", "build", "./...")
	mustRun(t, dir, tool, "--input-dirs", "./api/...", "--verify")

	file := filepath.Join(dir, "pkg", "generated", generated[0])
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, string(before)+"\n// edited\n")
	if output, err := inProject(t, dir, tool, "--input-dirs", "./api/...", "--verify"); exitStatus(err) != 1 || !strings.Contains(output, "-// edited") {
		t.Errorf("--verify of an edited file: got exit status %d and %q, want 1 and the difference", exitStatus(err), output)
	}
	mustRun(t, dir, tool, "--input-dirs", "./api/...")
	after, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(after) != string(before) {
		t.Errorf("%s: not restored", generated[0])
	}
}

// The same through go generate, with informer-gen as a tool of the module.
func TestGoGenerate(t *testing.T) {
	t.Parallel()
	dir := kubebuilderProject(t)
	write(t, filepath.Join(dir, "generate.go"), "package project\n\n//go:generate go run github.com/informer-gen/informer-gen/cmd/informer-gen --input-dirs ./api/...\n")
	mustRun(t, dir, "go", "generate", "./...")
	wantGenerated(t, dir)
	mustRun(t, dir, "go", "build", "./...")
}

// Wrong input is exit status 1 with the place, a wrong command line is 2, and
// in neither case is anything written.
func TestWrongInput(t *testing.T) {
	t.Parallel()
	tool := buildTool(t)
	for _, c := range []struct {
		name, file, text string
		args             []string
		status           int
		message          string
	}{
		{"syntax error", "api/v1alpha1/broken.go", "package v1alpha1\n\nfunc {\n", []string{"-i", "./api/..."}, 1, "broken.go:3:"},
		{"no API types", "empty/empty.go", "package empty\n", []string{"-i", "./empty"}, 1, "empty"},
		{"wrong flag", "", "", []string{"--no-such-flag"}, 2, "no-such-flag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := kubebuilderProject(t)
			if c.file != "" {
				write(t, filepath.Join(dir, c.file), c.text)
			}
			output, err := inProject(t, dir, tool, c.args...)
			if exitStatus(err) != c.status || !strings.Contains(output, c.message) {
				t.Errorf("got exit status %d and %q, want %d and %q in it", exitStatus(err), output, c.status, c.message)
			}
			if _, err := os.Stat(filepath.Join(dir, "pkg")); err == nil {
				t.Errorf("wrote %v", files(t, filepath.Join(dir, "pkg")))
			}
		})
	}
}

// kubebuilderProject is the example project's API in a module of its own, with
// nothing of the repository's around it.
func kubebuilderProject(t *testing.T) string {
	t.Helper()
	dir := project(t, "example.com/project", "k8s.io/apimachinery v0.37.2", "k8s.io/client-go v0.37.2")
	if err := os.CopyFS(filepath.Join(dir, "api"), os.DirFS(filepath.Join(checkout(t), "testdata", "kubebuilder", "api"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// wantGenerated wants a factory, and informers and listers for every type of
// the API, and returns all that was written, by its path below pkg/generated.
func wantGenerated(t *testing.T, dir string) []string {
	t.Helper()
	generated := files(t, filepath.Join(dir, "pkg", "generated"))
	for _, want := range []string{
		"informers/factory.go",
		"informers/generic.go",
	} {
		if !slices.Contains(generated, want) {
			t.Errorf("%s was not written; these were: %q", want, generated)
		}
	}
	if !slices.ContainsFunc(generated, func(file string) bool { return strings.HasPrefix(file, "listers/") }) {
		t.Errorf("no lister was written, but %q", generated)
	}
	return generated
}
