package generators

import (
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
)

// The warning for a project on another minor of client-go names the version of this module for it.
func TestVersionForOtherLibraries(t *testing.T) {
	const get = ": this version of informer-gen is for " + neededMinor + "; run go get -tool github.com/informer-gen/informer-gen/cmd/informer-gen@"
	for _, c := range []struct{ version, want string }{
		{"v0.33.1", "run go get k8s.io/client-go@" + neededMinor + ".0"},
		{"v0.34.0", get + "v0.34"},
		{"v0.34.13", get + "v0.34"},
		{"v0.35.1", get + "v0.35"},
		{"v0.36.0-beta.1", get + "v0.36"},
		{"v0.36.4", get + "v0.36"},
		{"v0.37.0", get + "v0.37"},
		{"v0.99.0", ""},
	} {
		if strings.HasPrefix(c.version, neededMinor+".") {
			if c.want = ""; strings.Contains(c.version, "-beta") {
				c.want = "run go get k8s.io/client-go@" + neededMinor + ".0"
			}
		}
		file, err := modfile.Parse("go.mod", []byte("module m\n\ngo 1.26\n\nrequire k8s.io/client-go "+c.version+"\n"), nil)
		if err != nil {
			t.Fatal(err)
		}
		var diags diag.List
		(&goMod{file: file, name: "go.mod"}).advise(&diags)
		got := ""
		for _, d := range diags.Warnings {
			got += d.Error()
		}
		if (c.want == "") != (got == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("client-go %s: got %q, want %q at the end", c.version, got, c.want)
		}
	}
}
