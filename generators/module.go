package generators

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
)

// module is a Go module on disk.
type module struct {
	// dir holds its go.mod.
	dir string
	// path is its module path.
	path string
}

// modules finds the module of a directory, and reads each go.mod once.
type modules struct {
	byDir map[string]*module
	// notice gets the downloads of the go command; it may be nil.
	notice func(line string)
	// listed are directories by import path, as the go command reported them.
	listed map[string]string
}

// of returns the module that holds dir, which need not exist.
func (m *modules) of(dir string) (*module, error) {
	if m.byDir == nil {
		m.byDir = map[string]*module{}
	}
	if found, ok := m.byDir[dir]; ok {
		return found, nil
	}
	file := filepath.Join(dir, "go.mod")
	content, err := os.ReadFile(file)
	switch {
	case err == nil:
		name := modulePath(content)
		if name == "" {
			return nil, fmt.Errorf("%s: no module path", file)
		}
		m.byDir[dir] = &module{dir: dir, path: name}
	case !errors.Is(err, os.ErrNotExist) && !isNotDirectory(err):
		return nil, fmt.Errorf("module: %w", err)
	case filepath.Dir(dir) == dir:
		return nil, errors.New("no go.mod in it or above it")
	default:
		parent, err := m.of(filepath.Dir(dir))
		if err != nil {
			return nil, err
		}
		m.byDir[dir] = parent
	}
	return m.byDir[dir], nil
}

// modulePath returns the path that a go.mod gives its module, or "".
func modulePath(content []byte) string {
	if path := modfile.ModulePath(content); path != "" && path[0] != '(' {
		return path
	}
	parsed, err := modfile.ParseLax("go.mod", content, nil) // of a module directive with brackets
	if err != nil || parsed.Module == nil {
		return ""
	}
	return parsed.Module.Mod.Path
}

// isNotDirectory reports that there is a file where a directory was expected. The
// operating system reports that only for a path below it.
func isNotDirectory(err error) bool {
	return strings.Contains(err.Error(), "not a directory")
}

// dir returns where a package is, as seen from a directory of a module, or "" if
// only the go command knows.
func (m *modules) dir(path, from string) string {
	if mod, err := m.of(from); err == nil {
		if dir := mod.packageDir(path); dir != "" {
			return dir
		}
	}
	return m.listed[path]
}

// packageDir returns where a package of the module is, or "".
func (m module) packageDir(path string) string {
	if rel, ok := strings.CutPrefix(path+"/", m.path+"/"); ok {
		if dir := filepath.Join(m.dir, filepath.FromSlash(rel)); hasGoFiles(dir) {
			return dir
		}
	}
	return ""
}

// ImportPath returns the import path of a directory, which need not exist: what
// the nearest go.mod says.
func ImportPath(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return new(modules).importPath(dir)
}

// importPath returns the import path of an absolute directory.
func (m *modules) importPath(dir string) (string, error) {
	mod, err := m.of(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(mod.dir, dir)
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	if vendored, ok := strings.CutPrefix(rel, "vendor/"); ok {
		return vendored, nil
	}
	return path.Join(mod.path, rel), nil
}

// waitDelay limits how long the output of what an interrupted go command has started is waited
// for, such as git, which can outlive it.
const waitDelay = time.Second

// list asks the go command, as seen from dir, where packages are, which takes it some 50 ms: it
// sees what go.mod, go.work and a vendor folder say, and does not look into the packages. One that
// it can't find is an error, unless it is optional: then it is left out.
func (m *modules) list(ctx context.Context, dir string, patterns, optional []string) (map[string]string, error) {
	const format = "{{.ImportPath}}\t{{.Dir}}\t{{with .Error}}{{printf `%q` .Err}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-e", "-find", "-f", format, "--"}, patterns, optional)...)
	cmd.Dir, cmd.WaitDelay = dir, waitDelay
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, io.MultiWriter(&stderr, &downloads{notice: m.notice})
	err := cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, fmt.Errorf("pattern %s: only the go command knows where it is, and there is none in PATH; install Go, or name a directory", strings.Join(patterns, " "))
	}
	if text := stderr.String(); err != nil && strings.Contains(text, "go mod tidy") { // which does not add what no code imports
		return nil, fmt.Errorf("pattern %s: go.mod lacks its module, or what that requires; run go get %s", strings.Join(patterns, " "), toGet(patterns))
	} else if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, oneLine(strings.ReplaceAll(text, ":\n\t", ": ")))
	}
	dirs := map[string]string{}
	var problems []error
	for line := range strings.Lines(stdout.String()) {
		fields := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		switch {
		case fields[1] != "":
			dirs[fields[0]] = fields[1]
		case !slices.Contains(optional, fields[0]):
			text := goError(fields[2])
			if strings.Contains(text, "cannot find module providing package") && !strings.Contains(text, "go get") {
				text += "; run go get " + fields[0]
			}
			problems = append(problems, fmt.Errorf("package %s: %s", fields[0], text))
		}
	}
	if len(dirs) == 0 && len(problems) == 0 {
		return nil, fmt.Errorf("pattern %s: no package of a required module matches it; run go get %s, or name a directory", strings.Join(patterns, " "), toGet(patterns))
	}
	return dirs, errors.Join(problems...)
}

// downloads passes on the lines in which the go command says that it downloads
// something, which may take long.
type downloads struct {
	notice func(line string)
	line   []byte
}

func (d *downloads) Write(text []byte) (int, error) {
	d.line = append(d.line, text...)
	for {
		line, rest, ok := bytes.Cut(d.line, []byte("\n"))
		if !ok {
			return len(text), nil
		}
		if d.notice != nil && bytes.HasPrefix(line, []byte("go: downloading ")) {
			d.notice(string(line))
		}
		d.line = rest
	}
}

// toGet are the arguments of go get for patterns.
func toGet(patterns []string) string {
	var paths []string
	for _, pattern := range patterns {
		base, _, _ := strings.Cut(pattern, "...")
		paths = append(paths, strings.TrimSuffix(base, "/"))
	}
	return strings.Join(paths, " ")
}

// goError puts a quoted error of the go command, with the command that it
// advises, on one line.
func goError(quoted string) string {
	text, err := strconv.Unquote(quoted)
	if err != nil {
		text = quoted
	}
	return oneLine(strings.ReplaceAll(text, ":\n\t", ": "))
}

func oneLine(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
}

// requirements are the paths of the modules that the go.mod of a directory, or
// the nearest one above it, requires. There are none if a workspace or a vendor
// folder counts as well.
func requirements(dir string) []string {
	if work := os.Getenv("GOWORK"); work != "off" && (work != "" || above(dir, "go.work") != "") {
		return nil
	}
	file := above(dir, "go.mod")
	content, err := os.ReadFile(file)
	if err != nil || exists(filepath.Join(filepath.Dir(file), "vendor", "modules.txt")) {
		return nil
	}
	parsed, err := modfile.ParseLax(file, content, nil)
	if err != nil {
		return nil
	}
	var paths []string
	for _, require := range parsed.Require {
		paths = append(paths, require.Mod.Path)
	}
	return paths
}

// above returns the file of a name in a directory or the nearest one above it.
func above(dir, name string) string {
	for {
		if file := filepath.Join(dir, name); exists(file) {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
