package generate

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

const (
	sampleAPI    = "github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/apis/samplecontroller/v1alpha1"
	sampleClient = "github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/clientset/versioned"
	crdAPI       = "k8s.io/apiextensions-apiserver/pkg/apis/"
	crdClient    = "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
)

// For the same input and flags, informer-gen's packages have the whole API of code-generator's informer-gen
// and lister-gen, with the same types: callers of the one can call the other.
func TestSameAPIAsCodeGenerator(t *testing.T) {
	t.Parallel()
	tools := tools{buildTool(t), build(t, scratch.UpstreamClientGen, scratch.UpstreamListerGen, scratch.UpstreamInformerGen)}
	for _, c := range []struct {
		name string
		// archive holds the API packages, if they are not other modules'.
		archive string
		// clientset has the input for which client-gen makes a clientset, if the input comes without.
		clientset []string
		input     input
		// least is the smallest number of things in the API.
		least int
	}{{
		name: "sample-controller", least: 130,
		input: input{patterns: []string{sampleAPI}, informers: []string{"--versioned-clientset-package", sampleClient}},
	}, {
		name: "one directory", least: 130,
		input: input{patterns: []string{sampleAPI}, informers: []string{"--versioned-clientset-package", sampleClient, "--single-directory"}},
	}, {
		name: "every tag", least: 300, archive: "testdata/compat.txtar",
		clientset: []string{"--input-base", "example.com/compat/apis", "--input", "fleet/v1,harbour/v1beta1", "--plural-exceptions", "DNS:DNSes,Fish:Fish"},
		input: input{
			patterns: []string{"./apis/..."}, both: []string{"--plural-exceptions", "DNS:DNSes,Fish:Fish"},
			informers: []string{"--versioned-clientset-package", "example.com/compat/clientset"},
		},
	}, {
		name: "internal versions", least: 200,
		clientset: []string{"--input-base", crdAPI, "--input", "apiextensions/"},
		input: input{
			patterns:  []string{crdAPI + "apiextensions", crdAPI + "apiextensions/v1", crdAPI + "apiextensions/v1beta1"},
			informers: []string{"--versioned-clientset-package", crdClient, "--internal-clientset-package", "example.com/compat/clientset"},
		},
	}, {
		name: "k8s.io/api", least: 7000,
		input: input{
			patterns: []string{"k8s.io/api/..."}, both: []string{"--plural-exceptions", "Endpoints:Endpoints"},
			informers: []string{"--versioned-clientset-package", "k8s.io/client-go/kubernetes"},
		},
	}} {
		t.Run(c.name, func(t *testing.T) {
			dir := compatProject(t, c.archive)
			if c.clientset != nil {
				mustRun(t, dir, filepath.Join(tools.theirs, "client-gen"), append(c.clientset,
					"--clientset-name", "clientset", "--output-dir", ".", "--output-pkg", "example.com/compat")...)
			}
			if same := tools.sameAPI(t, dir, "example.com/compat", c.input); same < c.least*sharePercent/100 {
				t.Errorf("code-generator's API has only %d things", same)
			}
		})
	}
}

// tools are informer-gen, and the directory of code-generator's tools.
type tools struct{ ours, theirs string }

// input has the arguments of the tools.
type input struct {
	patterns []string
	// both are flags for all tools, informers those for the informer-gens.
	both, informers []string
}

// factoryAdditions are the methods of a SharedInformerFactory that code-generator's has not, besides the
// methods of newer minors. Programs get a factory from generated code, and do not implement it.
var factoryAdditions = append(newerAdditions, "WaitForSync", "WaitForSyncOrStuck", "Status", "HealthCheck", "ReadyCheck", "Release", "Named")

// listerAdditions are the methods of listers for fields with +informer-gen:index.
var listerAdditions = []string{"ByDeploymentName", "AllByDeploymentName"}

// sameAPI runs both generators in a module on the same input, compares what they
// export and returns how many things are the same.
func (x tools) sameAPI(t *testing.T, dir, module string, in input) int {
	t.Helper()
	x.generate(t, dir, module, in)
	packages := check(t, dir, module, "theirs", "ours")
	got := compare(below(packages, module+"/theirs"), below(packages, module+"/ours"))
	t.Logf("%d the same, %d missing, %d changed", got.same, len(got.missing), len(got.changed))
	if got.same == 0 {
		t.Error("nothing was compared")
	}
	for _, what := range got.missing {
		t.Errorf("missing: %s", what)
	}
	for _, what := range got.changed {
		if !meantChange(what) {
			t.Errorf("changed: %s", what)
		}
	}
	for _, what := range got.added {
		dot := strings.LastIndex(what, ".")
		interfaceName, method := what[:dot], what[dot+1:]
		known := strings.HasSuffix(interfaceName, ".SharedInformerFactory") && slices.Contains(factoryAdditions, method) ||
			strings.HasSuffix(interfaceName, "Lister") && slices.Contains(listerAdditions, method)
		if !known {
			t.Errorf("more to implement: %s", what)
		}
	}
	return got.same
}

// generate runs both generators in a module on the same input: the trees are theirs and
// ours.
func (x tools) generate(t *testing.T, dir, module string, in input) {
	t.Helper()
	run := func(tool, out string, more ...string) {
		mustRun(t, dir, tool, slices.Concat([]string{"--output-dir", out, "--output-pkg", module + "/" + out}, more, in.both, in.patterns)...)
	}
	run(filepath.Join(x.theirs, "lister-gen"), "theirs/listers")
	run(filepath.Join(x.theirs, "informer-gen"), "theirs/informers", slices.Concat(in.informers, []string{"--listers-package", module + "/theirs/listers"})...)
	run(x.ours, "ours/informers", slices.Concat(in.informers, []string{"--listers-package", module + "/ours/listers"})...)
}

// libraries is the version of Kubernetes' libraries in compatProject.
const libraries = "v0.37.2"

// compatProject is a module with the files of an archive. Those with TREE in
// their names it has twice, for what either tool generates; since37.go is for libraries since 0.37.
func compatProject(t *testing.T, archive string) string {
	t.Helper()
	dir := project(t, "example.com/compat", "k8s.io/apimachinery "+libraries, "k8s.io/client-go "+libraries, "k8s.io/apiextensions-apiserver "+libraries)
	if archive != "" {
		files, err := txtar.ParseFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files.Files {
			since, newer := strings.CutPrefix(strings.TrimSuffix(path.Base(file.Name), ".go"), "since")
			if newer && "v0."+since > libraries {
				continue
			}
			for _, tree := range []string{"theirs", "ours"} {
				text := strings.NewReplacer("TREE", tree)
				write(t, filepath.Join(dir, filepath.FromSlash(text.Replace(file.Name))), text.Replace(string(file.Data)))
			}
		}
	}
	// The imports name the modules that the go command must know.
	write(t, filepath.Join(dir, "compat.go"), "package compat\n\nimport (\n\t_ \""+sampleClient+"\"\n\t_ \""+crdClient+"\"\n)\n")
	return dir
}
