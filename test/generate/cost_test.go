//go:build !before37

package generate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// What is generated costs no more to compile, and makes a program no larger, than what
// code-generator's tools write for the same types. The compiler's work is counted in
// functions, which is the same on every machine; with -v, its time is logged.
func TestCostOfGeneratedCode(t *testing.T) {
	t.Parallel()
	const moduleName = "example.com/cost"
	dir := project(t, moduleName, "k8s.io/api v0.37.2", "k8s.io/apimachinery v0.37.2", "k8s.io/client-go v0.37.2")
	tools := tools{buildTool(t), build(t, scratch.UpstreamListerGen, scratch.UpstreamInformerGen)}
	tools.generate(t, dir, moduleName, input{
		patterns:  []string{"k8s.io/api/core/v1", "k8s.io/api/apps/v1", "k8s.io/api/batch/v1", "k8s.io/api/rbac/v1", "k8s.io/api/networking/v1"},
		both:      []string{"--plural-exceptions", "Endpoints:Endpoints"},
		informers: []string{"--versioned-clientset-package", "k8s.io/client-go/kubernetes"},
	})
	const compileGoal, sizeGoal = 1.05, 1.04
	var functions, size [2]int
	for i, tree := range []string{"theirs", "ours"} {
		informers := moduleName + "/" + tree + "/informers/externalversions"
		write(t, filepath.Join(dir, tree, "program", "main.go"), strings.ReplaceAll(followTwoTypes, "INFORMERS", informers))
		mustRun(t, dir, "go", "build", "-ldflags=-s -w", "-o", tree+".bin", "./"+tree+"/program")
		info, err := os.Stat(filepath.Join(dir, tree+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		size[i] = int(info.Size())
		mustRun(t, dir, "go", "build", "./"+tree+"/...")
		if testing.Verbose() {
			t.Logf("%s: compiled in %v of CPU", tree, compileAgain(t, dir, tree))
		}
		functions[i] = compiledFunctions(t, dir, tree)
		t.Logf("%s: %d functions; program of %d bytes", tree, functions[i], size[i])
	}
	if ratio := float64(functions[1]) / float64(functions[0]); ratio > compileGoal || functions[1] == 0 {
		t.Errorf("functions: %d, %.2f times those of code-generator's output; want at most %v times", functions[1], ratio, compileGoal)
	}
	if ratio := float64(size[1]) / float64(size[0]); ratio > sizeGoal || size[1] == 0 {
		t.Errorf("program: %d bytes, %.3f times that with code-generator's output; want at most %v times", size[1], ratio, sizeGoal)
	}
}

const followTwoTypes = `package main

import (
	"context"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	informers "INFORMERS"
)

func main() {
	f := informers.NewSharedInformerFactory(kubernetes.NewForConfigOrDie(&rest.Config{}), 0)
	f.Core().V1().Pods().Informer()
	f.Apps().V1().Deployments().Informer()
	f.Start(context.Background().Done())
}
`

// compileAgain compiles the packages of a tree anew, but not what they import, and
// returns the CPU time.
func compileAgain(t *testing.T, dir, tree string) time.Duration {
	t.Helper()
	for _, file := range files(t, filepath.Join(dir, tree)) {
		if strings.HasSuffix(file, ".go") {
			path := filepath.Join(dir, tree, filepath.FromSlash(file))
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			write(t, path, string(text)+fmt.Sprintf("\n// Compiled at %d.\n", time.Now().UnixNano()))
		}
	}
	command := exec.CommandContext(t.Context(), "go", "build", "./"+tree+"/...")
	command.Dir = dir
	command.Env = scratch.Environ(dir)
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return (command.ProcessState.UserTime() + command.ProcessState.SystemTime()).Round(time.Millisecond)
}

var textSymbol = regexp.MustCompile(`(?m)^ *[0-9a-f]+ [Tt] `)

// compiledFunctions returns how many functions the packages of a tree have, with the
// instances of generic ones, compiled once for each package.
func compiledFunctions(t *testing.T, dir, tree string) int {
	t.Helper()
	archives := strings.Fields(mustRun(t, dir, "go", "list", "-export", "-f", "{{.Export}}", "./"+tree+"/..."))
	slices.Sort(archives)
	n := 0
	for _, archive := range archives {
		n += len(textSymbol.FindAllString(mustRun(t, dir, "go", "tool", "nm", archive), -1))
	}
	return n
}
