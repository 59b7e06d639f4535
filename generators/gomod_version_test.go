package generators

import (
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
)

// warningsOf returns the advice for a project with these requirements.
func warningsOf(t *testing.T, requirements ...string) (text string) {
	t.Helper()
	file, err := modfile.Parse("go.mod", []byte("module m\n\ngo 1.26\n\nrequire (\n"+strings.Join(requirements, "\n")+"\n)\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	var diags diag.List
	(&goMod{file: file, name: "go.mod"}).advise(&diags)
	for _, d := range diags.Warnings {
		text += d.Error()
	}
	return text
}

// The command that raises client-go raises all modules that are released with it, and no other.
func TestModulesOfOneRelease(t *testing.T) {
	for _, c := range []struct {
		name, want string
		requires   []string
	}{
		{"all older", " k8s.io/client-go@" + neededMinor + ".0 k8s.io/apiserver@" + neededMinor + ".0 k8s.io/component-base@" + neededMinor + ".0",
			[]string{"k8s.io/apiserver v0.33.1", "k8s.io/client-go v0.33.1", "k8s.io/component-base v0.33.1 // indirect", "k8s.io/klog/v2 v2.100.1", "k8s.io/utils v0.0.0-20240102154912-e7106e64919e"}},
		{"client-go is new", "", []string{"k8s.io/apiserver v0.33.1", "k8s.io/client-go " + neededMinor + ".0"}},
		{"one is new", " k8s.io/client-go@" + neededMinor + ".0", []string{"k8s.io/apiserver " + neededMinor + ".0", "k8s.io/client-go v0.33.1"}},
	} {
		got := warningsOf(t, c.requires...)
		if _, got, _ = strings.Cut(got, "run go get"); got != c.want {
			t.Errorf("%s: run go get%s, want%s", c.name, got, c.want)
		}
	}
}

// Without client-go, the minor of apimachinery says which version of this module a project takes.
func TestVersionForOtherApimachinery(t *testing.T) {
	minor := oldestMinor
	if minor == neededMinor {
		minor = newestMinor
	}
	if got, want := warningsOf(t, "k8s.io/apimachinery "+minor+".2"), "/cmd/informer-gen@"+minor; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at the end", got, want)
	}
}

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
		got := warningsOf(t, "k8s.io/client-go "+c.version)
		if (c.want == "") != (got == "") || !strings.HasSuffix(got, c.want) {
			t.Errorf("client-go %s: got %q, want %q at the end", c.version, got, c.want)
		}
	}
}
