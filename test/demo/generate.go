package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

// project is where things are.
type project struct {
	checkout string // the repository
	dir      string // the example project in it
}

const module = "github.com/informer-gen/informer-gen"

// findProject finds the checkout that the working directory is in.
func findProject() (project, error) {
	dir, err := os.Getwd()
	if err != nil {
		return project{}, err
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module "+module+"\n") {
			return project{checkout: dir, dir: filepath.Join(dir, "testdata", "kubebuilder")}, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return project{}, errors.New("run the demo from within a checkout of " + module)
		}
		dir = parent
	}
}

// generate builds informer-gen, lets it write the informers and listers of the example project into a
// temporary directory, and shows the files. Then it lets it check that the project's own copy, which this
// demo is compiled with, is the same.
func generate(ctx context.Context, j *journal, p project) error {
	tmp, err := os.MkdirTemp("", "informer-gen-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	j.step("Building informer-gen")
	tool := filepath.Join(tmp, "informer-gen")
	if err := command(ctx, p.checkout, "go", "build", "-o", tool, "./cmd/informer-gen"); err != nil {
		return err
	}

	j.step("Generating informers and listers for the example project, testdata/kubebuilder")
	const pkg = module + "/testdata/kubebuilder/generated/informers"
	output := filepath.Join(tmp, "generated")
	if err := command(ctx, p.dir, tool, "--input-dirs", "./api/...", "--output-dir", filepath.Join(output, "informers"), "--output-pkg", pkg); err != nil {
		return err
	}
	j.note("$ informer-gen --input-dirs ./api/...")
	lines, err := tree(output)
	if err != nil {
		return err
	}
	j.note(lines)

	if err := command(ctx, p.dir, tool, "--input-dirs", "./api/...", "--output-dir", "generated/informers", "--verify"); err != nil {
		return fmt.Errorf("the example project's generated code is not up to date: %w", err)
	}
	j.note("The copy in testdata/kubebuilder/generated, which this demo is compiled with, is the same.")
	return nil
}

// command runs a command. If it fails, what it printed is part of the error.
func command(ctx context.Context, dir, name string, args ...string) error {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	var output bytes.Buffer
	c.Stdout, c.Stderr = &output, &output
	if err := c.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, output.String())
	}
	return nil
}

// tree draws the files below a directory with their number of lines.
func tree(dir string) (string, error) {
	var b strings.Builder
	files, total := 0, 0
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		indent := strings.Repeat("  ", strings.Count(rel, string(filepath.Separator))+1)
		switch {
		case rel == ".":
			b.WriteString("generated/\n")
		case entry.IsDir():
			fmt.Fprintf(&b, "%s%s/\n", indent, entry.Name())
		default:
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			lines := bytes.Count(data, []byte("\n"))
			files, total = files+1, total+lines
			fmt.Fprintf(&b, "%-*s%4d lines\n", 42, indent+entry.Name(), lines)
		}
		return nil
	})
	fmt.Fprintf(&b, "%d files, %d lines\n", files, total)
	return b.String(), err
}

// startServer starts an API server and installs the project's definitions.
func startServer(ctx context.Context, j *journal, p project) (*apiserver.Server, error) {
	j.step("Starting a Kubernetes API server with etcd, in this process")
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		return nil, err
	}
	j.note("It serves " + server.Config().Host)

	folder := filepath.Join(p.dir, "config", "crd", "bases")
	crds, err := apiserver.ReadCRDs(folder)
	if err == nil {
		names := make([]string, len(crds))
		for i, crd := range crds {
			names[i] = crd.Name
		}
		j.step("Installing the CRDs %s", strings.Join(names, ", "))
		err = server.CreateCRDs(ctx, crds...)
	}
	if err != nil {
		server.Stop()
		return nil, err
	}
	return server, nil
}
