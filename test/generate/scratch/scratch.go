// Package scratch makes modules outside of the repository, in which informer-gen
// and code-generator are run as their users run them.
package scratch

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Runtime is the module under test.
const Runtime = "github.com/informer-gen/informer-gen"

// The tools, as Build takes them.
const (
	InformerGen         = Runtime + "/cmd/informer-gen"
	UpstreamInformerGen = "k8s.io/code-generator/cmd/informer-gen"
	UpstreamListerGen   = "k8s.io/code-generator/cmd/lister-gen"
	UpstreamClientGen   = "k8s.io/code-generator/cmd/client-gen"
)

// Dir returns the folder of a module that the module of the working directory uses. It downloads the module
// if the go command knows no folder of it, since it is not in the module cache.
func Dir(ctx context.Context, module string) (string, error) {
	dir, err := list(ctx, module)
	if err != nil || dir != "" {
		return dir, err
	}
	if output, err := exec.CommandContext(ctx, "go", "mod", "download", module).CombinedOutput(); err != nil {
		return "", fmt.Errorf("module %s: %w: %s", module, err, output)
	}
	return list(ctx, module)
}

func list(ctx context.Context, module string) (string, error) {
	output, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
	if err != nil {
		return "", fmt.Errorf("module %s: %w", module, err)
	}
	return strings.TrimSpace(string(output)), nil
}

// Module makes a module in a directory, which may hold files already. It uses
// the checkout in place of a released informer-gen. What it requires, as
// "path version", are modules of the checkout at the same versions, and so are
// in the module cache; the go command completes go.mod by itself.
func Module(dir, checkout, path string, require ...string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n\ngo 1.26.0\n\nrequire %s v0.0.0\n", path, Runtime)
	for _, line := range require {
		fmt.Fprintf(&b, "require %s\n", line)
	}
	fmt.Fprintf(&b, "replace %s => %s\n", Runtime, checkout)
	var sums []byte
	for _, file := range []string{"go.sum", "test/go.sum"} {
		sum, err := os.ReadFile(filepath.Join(checkout, file))
		if err != nil {
			return err
		}
		sums = append(sums, sum...)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
}

// Environ is the environment of commands in a module that Module made.
func Environ(dir string) []string {
	return append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "PWD="+dir)
}

// Build builds tools, which the module of the working directory requires, into
// a directory.
func Build(ctx context.Context, dir string, tools ...string) error {
	args := append([]string{"build", "-o", dir + string(filepath.Separator)}, tools...)
	if output, err := exec.CommandContext(ctx, "go", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}
