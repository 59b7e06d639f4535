package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The two builds that are compared.
const (
	stock = "stock"
	ours  = "ours"
)

// workspace is the folder with everything that a run needs and leaves.
//
//	client-go       a copy of the module, as it is
//	generated       informers and listers that informer-gen wrote, and client-go's hand-written files there
//	overlay.json    puts generated in the place of the copy's informers and listers
//	go.mod, go.sum  as space.mod and space.sum: this module's, with client-go replaced by the copy
//	bin             programs; bin/stock and bin/ours the programs of the two builds
//	runs            logs, keys and data of each run
type workspace struct {
	module     string // folder of this module
	dir        string
	clientGo   string // the copy
	kubernetes string // version of k8s.io/kubernetes
	libraries  string // version of k8s.io/client-go and of its sister modules
}

// openWorkspace lays the workspace out, as far as it is not there. What
// informer-gen writes is written each time.
func openWorkspace(ctx context.Context) (*workspace, error) {
	gomod, err := output(ctx, "", "go", "env", "GOMOD")
	if err != nil {
		return nil, err
	}
	w := &workspace{module: filepath.Dir(gomod)}
	w.dir = filepath.Join(w.module, ".work")
	if err := os.MkdirAll(w.dir, 0o755); err != nil {
		return nil, err
	}
	// The go command downloads the other modules when it builds what needs them.
	if _, err := output(ctx, w.module, "go", "mod", "download", "k8s.io/api", "k8s.io/client-go"); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{w.copyClientGo, w.writeGoMod, w.generate} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// copyClientGo copies the module out of the module cache, where the go command
// allows no overlay. The stock build uses the copy too, so that everything that
// does not import informers is compiled once for both.
func (w *workspace) copyClientGo(ctx context.Context) error {
	const format = "{{if .Replace}}{{.Replace.Version}}{{else}}{{.Version}}{{end}} {{.Dir}}"
	found, err := output(ctx, w.module, "go", "list", "-m", "-f", format, "k8s.io/client-go", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	fields := strings.Fields(found)
	if len(fields) != 4 {
		return fmt.Errorf("go list -m: got %q, want two versions and folders", found)
	}
	var source string
	w.libraries, source, w.kubernetes = fields[0], fields[1], fields[2]
	w.clientGo = filepath.Join(w.dir, "client-go")
	version := w.clientGo + ".version" // written when the copy is complete
	if copied, err := os.ReadFile(version); err == nil && string(copied) == w.libraries {
		return nil
	}
	say("copying client-go %s", w.libraries)
	if err := os.RemoveAll(w.clientGo); err != nil {
		return err
	}
	if err := os.CopyFS(w.clientGo, os.DirFS(source)); err != nil {
		return err
	}
	return os.WriteFile(version, []byte(w.libraries), 0o644)
}

// modFile is the go.mod that the programs are built with.
func (w *workspace) modFile() string { return filepath.Join(w.dir, "space.mod") }

func (w *workspace) writeGoMod(ctx context.Context) error {
	for from, to := range map[string]string{"go.mod": "space.mod", "go.sum": "space.sum"} {
		data, err := os.ReadFile(filepath.Join(w.module, from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(w.dir, to), data, 0o644); err != nil {
			return err
		}
	}
	copied, err := filepath.Rel(w.module, w.clientGo)
	if err != nil {
		return err
	}
	_, err = output(ctx, w.module, "go", "mod", "edit", "-replace=k8s.io/client-go=./"+filepath.ToSlash(copied), w.modFile())
	return err
}

// generated is the root of a module k8s.io/client-go, which tells informer-gen
// the import paths.
func (w *workspace) generated() string { return filepath.Join(w.dir, "generated") }

func (w *workspace) overlayFile() string { return filepath.Join(w.dir, "overlay.json") }

// generate has informer-gen write informers and listers, beside client-go's
// hand-written files in these folders, and writes the overlay.
func (w *workspace) generate(ctx context.Context) error {
	say("generating informers and listers for k8s.io/api")
	if err := os.RemoveAll(w.generated()); err != nil {
		return err
	}
	theirs, err := goFiles(w.clientGo, "informers", "listers")
	if err != nil {
		return err
	}
	if err := w.keepHandWritten(theirs); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(w.generated(), "go.mod"), []byte("module k8s.io/client-go\n"), 0o644); err != nil {
		return err
	}
	if _, err := output(ctx, w.module, "go", "run", "github.com/informer-gen/informer-gen/cmd/informer-gen",
		"--single-directory", "--versioned-clientset-package", "k8s.io/client-go/kubernetes",
		"--output-dir", filepath.Join(w.generated(), "informers"), "k8s.io/api/..."); err != nil {
		return err
	}
	written, err := goFiles(w.generated(), "informers", "listers")
	if err != nil {
		return err
	}
	return w.writeOverlay(theirs, written)
}

func (w *workspace) keepHandWritten(files []string) error {
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(w.clientGo, file))
		if err != nil {
			return err
		}
		if isGenerated(string(data)) {
			continue
		}
		to := filepath.Join(w.generated(), file)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// isGenerated says whether a Go file has the line that marks generated code.
func isGenerated(content string) bool {
	for line := range strings.Lines(content) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.") {
			return true
		}
		if strings.HasPrefix(line, "package ") {
			return false
		}
	}
	return false
}

// writeOverlay replaces and adds what was written, and removes the rest.
func (w *workspace) writeOverlay(theirs, written []string) error {
	replace := map[string]string{}
	for _, file := range theirs {
		replace[filepath.Join(w.clientGo, file)] = ""
	}
	for _, file := range written {
		replace[filepath.Join(w.clientGo, file)] = filepath.Join(w.generated(), file)
	}
	data, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(w.overlayFile(), data, 0o644)
}

// goFiles returns the Go files in folders below root that are no tests,
// relative to root.
func goFiles(root string, folders ...string) ([]string, error) {
	var files []string
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := filepath.Rel(root, path)
			files = append(files, file)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// program is one that is built, from a package of another module.
type program struct {
	name, pkg string
	build     string // stock or ours; empty if there is one for both
}

var programs = []program{
	{"etcd", "go.etcd.io/etcd/server/v3", ""},
	{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", ""},
	{controllerManager, "k8s.io/kubernetes/cmd/kube-controller-manager", stock},
	{scheduler, "k8s.io/kubernetes/cmd/kube-scheduler", stock},
	{controllerManager, "k8s.io/kubernetes/cmd/kube-controller-manager", ours},
	{scheduler, "k8s.io/kubernetes/cmd/kube-scheduler", ours},
}

// binary returns the path of a program: a build's own, or the one for both.
func (w *workspace) binary(build, name string) string {
	return filepath.Join(w.dir, "bin", build, name)
}

// build builds the programs that both builds share, and the programs of some builds.
func (w *workspace) build(ctx context.Context, builds []string) error {
	for _, p := range programs {
		if p.build != "" && !slices.Contains(builds, p.build) {
			continue
		}
		say("building %s", strings.TrimSpace(p.build+" "+p.name))
		start := time.Now()
		args := []string{"build", "-modfile", w.modFile(), "-ldflags", w.linkFlags(), "-o", w.binary(p.build, p.name)}
		if p.build == ours {
			args = append(args, "-overlay", w.overlayFile())
		}
		if _, err := output(ctx, w.module, "go", append(args, p.pkg)...); err != nil {
			return err
		}
		if took := time.Since(start); took > 10*time.Second {
			say("built in %s", took.Round(time.Second))
		}
	}
	return nil
}

// linkFlags are the link flags of a release.
func (w *workspace) linkFlags() string {
	const pkg = "k8s.io/component-base/version."
	parts := strings.SplitN(strings.TrimPrefix(w.kubernetes, "v"), ".", 3)
	return fmt.Sprintf("-s -w -X %[1]sgitVersion=%[2]s -X %[1]sgitMajor=%[3]s -X %[1]sgitMinor=%[4]s", pkg, w.kubernetes, parts[0], parts[1])
}

// output runs a command in a folder and returns what it prints.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	// An interrupt lets the go command remove its temporary files.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, args[0], err, stderr.String())
	}
	return strings.TrimSpace(string(out)), nil
}
