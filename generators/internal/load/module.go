package load

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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// Module is a Go module on disk.
type Module struct {
	// Dir holds its go.mod.
	Dir string
	// Path is its module path.
	Path string
	// File is its go.mod, or nil if that has a syntax error behind the path.
	File *modfile.File
}

// Modules finds the module of a directory, and reads each go.mod once.
type Modules struct {
	byDir map[string]*Module
	// notice gets the downloads of the go command; it may be nil.
	notice func(line string)
	// listed are directories by import path, as the go command reported them.
	listed map[string]string
}

// Of returns the module that holds dir, which need not exist.
func (m *Modules) Of(dir string) (*Module, error) {
	if m.byDir == nil {
		m.byDir = map[string]*Module{}
	}
	if found, ok := m.byDir[dir]; ok {
		return found, nil
	}
	file := filepath.Join(dir, "go.mod")
	content, err := os.ReadFile(file)
	switch {
	case err == nil:
		found := &Module{Dir: dir, Path: modfile.ModulePath(content)}
		if parsed, err := modfile.ParseLax(file, content, nil); err == nil && parsed.Module != nil {
			found.Path, found.File = parsed.Module.Mod.Path, parsed // also of a directive with brackets
		}
		if found.Path == "" || found.Path[0] == '(' {
			return nil, fmt.Errorf("%s: no module path", file)
		}
		m.byDir[dir] = found
	case !errors.Is(err, os.ErrNotExist) && !paths.IsNotDirectory(err):
		return nil, fmt.Errorf("module: %w", err)
	case filepath.Dir(dir) == dir:
		return nil, errors.New("no go.mod in it or above it")
	default:
		parent, err := m.Of(filepath.Dir(dir))
		if err != nil {
			return nil, err
		}
		m.byDir[dir] = parent
	}
	return m.byDir[dir], nil
}

// Dir returns where a package is, as seen from a directory of a module, or "" if
// only the go command knows.
func (m *Modules) Dir(path, from string) string {
	if mod, err := m.Of(from); err == nil {
		if dir := mod.packageDir(path); dir != "" {
			return dir
		}
	}
	return m.listed[path]
}

// packageDir returns where a package of the module is, or "".
func (m Module) packageDir(path string) string {
	if rel, ok := strings.CutPrefix(path+"/", m.Path+"/"); ok {
		if dir := filepath.Join(m.Dir, filepath.FromSlash(rel)); hasGoFiles(dir) {
			return dir
		}
	}
	return ""
}

// ImportPath returns the import path of an absolute directory, which need not exist: what
// the nearest go.mod says.
func (m *Modules) ImportPath(dir string) (string, error) {
	mod, err := m.Of(dir)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(mod.Dir, dir)
	if err != nil {
		return "", err
	}
	rel = filepath.ToSlash(rel)
	if vendored, ok := strings.CutPrefix(rel, "vendor/"); ok {
		return vendored, nil
	}
	return path.Join(mod.Path, rel), nil
}

// waitDelay limits how long the output of what an interrupted go command has started is waited
// for, such as git, which can outlive it.
const waitDelay = time.Second

// unknownModule is in the errors of the go command for a package that go get makes known.
var unknownModule = regexp.MustCompile("cannot find module providing package|missing go.sum entry")

// list asks the go command, as seen from dir, where packages are, which takes it some 50 ms: it
// sees what go.mod, go.work and a vendor folder say, and does not look into the packages. One that
// it can't find is an error, unless it is optional: then it is left out.
func (m *Modules) list(ctx context.Context, dir string, patterns, optional []string) (map[string]string, error) {
	const format = "{{.ImportPath}}\t{{.Dir}}\t{{with .Error}}{{printf `%q` .Err}}{{end}}"
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"list", "-e", "-find", "-f", format, "--"}, patterns, optional)...)
	cmd.Dir, cmd.WaitDelay = dir, waitDelay
	if hasEmptyCache() {
		cmd.Env = append(cmd.Environ(), "GODEBUG="+strings.TrimPrefix(os.Getenv("GODEBUG")+",goindex=0", ","))
	}
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
			if unknownModule.MatchString(text) && !strings.Contains(text, "go get") {
				text, _, _ = strings.Cut(text, "; to add it: ") // what does not, if the module of the package is not required
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

// hasEmptyCache reports whether the go command has no build cache yet. Before it says where a package is, it
// would parse all of its module for the cache, which takes seconds, unless the index of modules is off.
func hasEmptyCache() bool {
	dir := goEnv("GOCACHE")
	if user, err := os.UserCacheDir(); dir == "" && err == nil {
		dir = filepath.Join(user, "go-build")
	}
	entries, _ := os.ReadDir(dir) // which need not exist
	return len(entries) == 0
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

// requirements are the paths of the modules that the module's go.mod requires. There are
// none if a workspace or a vendor folder counts as well for a directory of the module.
func (m *Module) requirements(dir string) []string {
	work := os.Getenv("GOWORK")
	workspace := work != "off" && (work != "" || above(dir, "go.work"))
	if workspace || m.File == nil || paths.Exists(filepath.Join(m.Dir, "vendor", "modules.txt")) {
		return nil
	}
	var found []string
	for _, require := range m.File.Require {
		found = append(found, require.Mod.Path)
	}
	return found
}

// above reports whether a directory, or one above it, has a file of a name.
func above(dir, name string) bool {
	parent := filepath.Dir(dir)
	return paths.Exists(filepath.Join(dir, name)) || parent != dir && above(parent, name)
}

// Lacks reports whether a package would lie in the module of dir, and is not
// there.
func (m *Modules) Lacks(path, dir string) bool {
	mod, err := m.Of(dir)
	return err == nil && strings.HasPrefix(path, mod.Path+"/") && m.Dir(path, dir) == "" &&
		!paths.Exists(filepath.Join(mod.Dir, filepath.FromSlash(strings.TrimPrefix(path, mod.Path+"/"))))
}

// Gone reports whether an import path is one of the module that holds dir, without
// a directory, or of no module that its go.mod requires.
func (m *Modules) Gone(path, dir string) bool {
	mod, err := m.Of(dir)
	if err != nil {
		return false
	}
	if strings.HasPrefix(path+"/", mod.Path+"/") {
		return mod.packageDir(path) == ""
	}
	required := mod.requirements(dir)
	return len(required) > 0 && !slices.ContainsFunc(required, func(module string) bool { return strings.HasPrefix(path+"/", module+"/") })
}

// InternalParent returns what a package's importers must begin with, if it lies
// in an internal directory.
func InternalParent(importPath string) (string, bool) {
	path := "/" + importPath + "/"
	last := strings.LastIndex(path, "/internal/")
	if last < 0 {
		return "", false
	}
	return strings.TrimPrefix(path[:last+1], "/"), true
}

// LastElement is the last element of an import path, which in general is the
// package's name.
func LastElement(importPath string) string { return path.Base(importPath) }
