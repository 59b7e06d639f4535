package generate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// Over every group of k8s.io/api and client-go's clientset, the tool writes code that compiles. A program
// that uses it with the fake clientset runs. Every informer of client-go's own factory is there and reaches
// sync, and a lister finds the objects that the clientset was given and created.
func TestKubernetesAPI(t *testing.T) {
	t.Parallel()
	tool := buildTool(t)
	// The directory is always the same, and git ignores it. So the go command finds in its cache the
	// packages that it has compiled before: they take minutes.
	dir := filepath.Join(checkout(t), "test", "bin", "kube")
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := scratch.Module(dir, checkout(t), "example.com/kube", "k8s.io/api v0.37.2", "k8s.io/apimachinery v0.37.2", "k8s.io/client-go v0.37.2"); err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(filepath.Join("testdata", "kube", "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "main.go"), string(program))

	mustRun(t, dir, tool, "--versioned-clientset-package", "k8s.io/client-go/kubernetes", "k8s.io/api/...")
	generated := files(t, filepath.Join(dir, "pkg", "generated"))
	for _, want := range []string{"informers/externalversions/factory.go", "informers/externalversions/apps/v1/deployment.go", "listers/core/v1/pod.go"} {
		if !slices.Contains(generated, want) {
			t.Errorf("%s was not written", want)
		}
	}
	mustRun(t, dir, "go", "build", "-o", "kube", ".")
	output := mustRun(t, dir, filepath.Join(dir, "kube"))
	if !strings.Contains(output, "in sync") {
		t.Errorf("got %q", output)
	}
	t.Log(strings.TrimSpace(output))
}
