package generators

import (
	"context"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// packageDirs finds out, as seen from dir, in which directories packages are.
// An optional one that is not found is left out. What the go command downloads for
// it, notice is called.
//
// Where a module is, the go command says in 5 ms; where packages are, in 50, or
// in 500 with an empty build cache, because it looks into them. So it is only
// asked for modules if they tell all.
func packageDirs(ctx context.Context, dir string, patterns, optional []string, notice func(string)) (map[string]string, error) {
	if dirs, ok := inModules(ctx, dir, patterns, optional); ok {
		return dirs, nil
	}
	return goList(ctx, dir, patterns, optional, notice)
}

// inModules finds packages in the modules that go.mod requires. It gives up on
// what only the go command knows: a pattern that another module may match too,
// a workspace, a vendor folder, a module that is not downloaded yet, a package
// that is not there.
func inModules(ctx context.Context, dir string, patterns, optional []string) (map[string]string, bool) {
	required := requirements(dir)
	var modules []string
	for _, pattern := range slices.Concat(patterns, optional) {
		module, ok := moduleOf(pattern, required)
		if !ok {
			return nil, false
		}
		modules = append(modules, module)
	}
	roots := goListModules(ctx, dir, modules)
	found := map[string]string{}
	for i, pattern := range slices.Concat(patterns, optional) {
		root := roots[modules[i]]
		if root == "" {
			return nil, false
		}
		if module, _ := moduleOf(pattern, append(requirements(root), modules[i])); module != modules[i] {
			return nil, false // perhaps in a module that only this one requires
		}
		base, recursive := strings.CutSuffix(pattern, "/...")
		at := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(base, modules[i])))
		dirs := []string{at}
		if recursive {
			var err error
			if dirs, _, err = walk(ctx, at); err != nil {
				return nil, false
			}
		}
		for _, d := range dirs {
			rel, err := filepath.Rel(at, d)
			if err != nil || !hasGoFiles(d) {
				return nil, false
			}
			found[strings.TrimSuffix(base+"/"+filepath.ToSlash(rel), "/.")] = d
		}
	}
	return found, len(found) > 0
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

// moduleOf returns the module that a pattern's packages are in, if no other one
// can have some.
func moduleOf(pattern string, modules []string) (string, bool) {
	base, recursive := strings.CutSuffix(pattern, "/...")
	if strings.Contains(base, "...") || path.Clean(base) != base {
		return "", false
	}
	best := ""
	for _, module := range modules {
		if recursive && strings.HasPrefix(module, base+"/") {
			return "", false
		}
		if strings.HasPrefix(base+"/", module+"/") && len(module) > len(best) {
			best = module
		}
	}
	return best, best != ""
}

// goListModules asks the go command where modules are. What it does not know is
// left out.
func goListModules(ctx context.Context, dir string, modules []string) map[string]string {
	args := []string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}", "--"}
	cmd := exec.CommandContext(ctx, "go", append(args, modules...)...)
	cmd.Dir, cmd.WaitDelay = dir, waitDelay
	output, err := cmd.Output()
	if err != nil {
		return nil
	}
	dirs := map[string]string{}
	for line := range strings.Lines(string(output)) {
		path, dir, _ := strings.Cut(strings.TrimRight(line, "\n"), "\t")
		dirs[path] = dir
	}
	return dirs
}
