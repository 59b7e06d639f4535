package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// project is input for the tools.
type project struct {
	name string
	// setup writes what is not in other modules.
	setup func(dir, checkout string) error
	// input is the pattern of its API packages; clientset is empty for a
	// project without one.
	input, clientset string
	// theirs reports whether code-generator can do it, in reasonable time.
	theirs bool
	// goal is the goal for a first run.
	goal goal
	// firstOnly leaves out the cold build cache and the second run.
	firstOnly bool
}

// goal is a promise; zero is none.
type goal struct {
	ratio float64
	peak  int64
}

const sample = scratch.Runtime + "/testdata/samplecontroller/pkg/"

// projects are the measured projects: real ones, and ones with 10, 100 and so on made-up types.
func projects(types, theirTypes int) []project {
	all := []project{{
		name: "k8s.io/api", input: "k8s.io/api/...", clientset: "k8s.io/client-go/kubernetes", theirs: true, goal: goal{ratio: 30, peak: 32e6},
	}, {
		name: "sample-controller, 2 types", input: "./apis/...", clientset: sample + "clientset/versioned", theirs: true, goal: goal{ratio: 25},
		setup: copyTestdata("samplecontroller/pkg/apis"),
	}, {
		name: "kubebuilder project, 3 types, no clientset", input: "./apis/...", setup: copyTestdata("kubebuilder/api"),
	}}
	for n := 10; n <= types; n *= 10 {
		all = append(all, project{
			name: fmt.Sprintf("%d types, %d in a package", n, min(n, typesPerPackage)), input: "./apis/...", clientset: "example.com/bench/clientset",
			setup: func(dir, _ string) error { return writeAPI(dir, n) }, theirs: n <= theirTypes, firstOnly: true,
		})
	}
	return all
}

// copyTestdata copies API packages of the repository's testdata.
func copyTestdata(folder string) func(dir, checkout string) error {
	return func(dir, checkout string) error {
		return os.CopyFS(filepath.Join(dir, "apis"), os.DirFS(filepath.Join(checkout, "testdata", filepath.FromSlash(folder))))
	}
}

// module makes the project's module.
func (p *project) module(dir, checkout string) error {
	if err := scratch.Module(dir, checkout, "example.com/bench", "k8s.io/api v0.37.2", "k8s.io/apimachinery v0.37.2", "k8s.io/client-go v0.37.2"); err != nil {
		return err
	}
	// The imports name the modules that the go command must know.
	const imports = "package bench\n\nimport (\n\t_ \"k8s.io/client-go/kubernetes\"\n\t_ \"" + sample + "clientset/versioned\"\n)\n"
	if err := os.WriteFile(filepath.Join(dir, "bench.go"), []byte(imports), 0o644); err != nil {
		return err
	}
	if p.setup == nil {
		return nil
	}
	return p.setup(dir, checkout)
}

// commands are the commands that are run for the project, one after another, with the tools in a folder.
// Output goes below out.
func (p *project) commands(tools, out string, names ...string) [][]string {
	listers := "example.com/bench/" + out + "/listers"
	var commands [][]string
	for _, name := range names {
		command := []string{filepath.Join(tools, name)}
		if name == "lister-gen" {
			command = append(command, "--output-dir", out+"/listers", "--output-pkg", listers)
		} else {
			command = append(command, "--output-dir", out+"/informers", "--output-pkg", "example.com/bench/"+out+"/informers", "--listers-package", listers)
			if p.clientset != "" {
				command = append(command, "--versioned-clientset-package", p.clientset)
			}
		}
		commands = append(commands, append(slices.Clip(command), p.input))
	}
	return commands
}
