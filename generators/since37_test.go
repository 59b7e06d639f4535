//go:build !before37

package generators

import (
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
)

// A project on older libraries is told which version of this module is for them.
func TestVersionForOlderLibraries(t *testing.T) {
	for version, want := range map[string]string{
		"v0.36.4":        "run go get k8s.io/client-go@v0.37.0, or, to keep them, go get -tool github.com/informer-gen/informer-gen/cmd/informer-gen@v0.36",
		"v0.36.0-beta.1": "run go get k8s.io/client-go@v0.37.0, or, to keep them, go get -tool github.com/informer-gen/informer-gen/cmd/informer-gen@v0.36",
		"v0.33.1":        "run go get k8s.io/client-go@v0.37.0",
		"v0.37.0":        "",
	} {
		file, err := modfile.Parse("go.mod", []byte("module m\n\ngo 1.26\n\nrequire k8s.io/client-go "+version+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var diags diag.List
		(&goMod{file: file, name: "go.mod"}).advise(&diags)
		got := ""
		for _, d := range diags.Warnings {
			got += d.Error()
		}
		if (want == "") != (got == "") || !strings.HasSuffix(got, want) {
			t.Errorf("client-go %s: got %q, want %q at the end", version, got, want)
		}
	}
}
