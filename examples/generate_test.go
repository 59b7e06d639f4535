package examples

import (
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/informer-gen/informer-gen/generators"
)

// What is generated is up to date: go generate would change nothing.
func TestGenerated(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{".", "templates/injection"} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join(dir, "informer-gen.yaml"))
			if err != nil {
				t.Fatal(err)
			}
			var flags struct {
				InputDirs []string `json:"input-dirs"`
				Clients   bool     `json:"clients"`
				Minimal   bool     `json:"minimal"`
				Templates []string `json:"templates"`
			}
			if err := yaml.UnmarshalStrict(text, &flags); err != nil {
				t.Fatal(err)
			}
			result, err := generators.Run(t.Context(), generators.Options{
				Dir: dir, Patterns: flags.InputDirs, Clients: flags.Clients, Minimal: flags.Minimal, Templates: flags.Templates, Verify: true,
			})
			if err != nil || len(result.Changes) > 0 {
				t.Errorf("not up to date: %v; run go generate:\n%s", err, result.Diff())
			}
		})
	}
}
