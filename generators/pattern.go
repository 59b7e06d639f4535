package generators

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// location is a package to load.
type location struct {
	// Path is its import path.
	Path string
	// Dir is its directory, absolute.
	Dir string
	// Named is true if the package itself was asked for, and not only a
	// pattern that it matches.
	Named bool
}

// locate resolves patterns to packages, sorted by import path and each once.
// Directories are walked; import paths of the module that holds dir are mapped
// to directories; the go command is asked for all others together, and by the way
// for the directories of the packages in also.
func locate(ctx context.Context, dir string, patterns, also []string, mods *modules) ([]location, error) {
	found := map[string]location{}
	add := func(path, dir string, named bool) {
		found[path] = location{Path: path, Dir: dir, Named: named || found[path].Named}
	}
	var listed []string
	for _, pattern := range patterns {
		base, recursive := strings.CutSuffix(filepath.ToSlash(pattern), "...")
		if recursive {
			base = strings.TrimSuffix(base, "/")
		}
		root, err := rootOf(dir, base, mods)
		if err != nil {
			return nil, fmt.Errorf("pattern %q: %w", pattern, err)
		}
		if root == "" {
			listed = append(listed, pattern)
			continue
		}
		dirs := []string{root}
		if recursive {
			if dirs, err = walk(root); err != nil {
				return nil, fmt.Errorf("pattern %q: %w", pattern, err)
			}
		} else if !hasGoFiles(root) {
			return nil, fmt.Errorf("pattern %q: no Go files in %s", pattern, relative(dir, root))
		}
		for _, d := range dirs {
			path, err := mods.importPath(d)
			if err != nil {
				return nil, fmt.Errorf("pattern %q: %s: %w", pattern, relative(dir, d), err)
			}
			add(path, d, !recursive)
		}
	}
	if len(listed) > 0 {
		dirs, err := goList(ctx, dir, listed, also)
		if err != nil {
			return nil, err
		}
		mods.listed = dirs
		for path, d := range dirs {
			if !slices.Contains(also, path) || slices.Contains(listed, path) {
				add(path, d, slices.Contains(listed, path))
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), func(a, b location) int { return strings.Compare(a.Path, b.Path) }), nil
}

// rootOf returns the directory that a pattern begins at, or "" if only the go
// command knows.
func rootOf(dir, base string, mods *modules) (string, error) {
	if base == "" {
		base = "."
	}
	root := filepath.FromSlash(base)
	if !filepath.IsAbs(root) {
		root = filepath.Join(dir, root)
	}
	info, err := os.Stat(root)
	switch {
	case err == nil && !info.IsDir():
		return "", fmt.Errorf("is a file; name its directory")
	case err == nil:
		return root, nil
	case filepath.IsAbs(filepath.FromSlash(base)), base == "..", strings.HasPrefix(base, "./"), strings.HasPrefix(base, "../"):
		return "", fmt.Errorf("no such directory")
	}
	mod, err := mods.of(dir)
	if err != nil {
		return "", nil //nolint:nilerr // not in a module of ours: the go command may know more
	}
	if rel, ok := strings.CutPrefix(base+"/", mod.path+"/"); ok {
		root := filepath.Join(mod.dir, filepath.FromSlash(path.Clean("./"+rel)))
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			return root, nil
		}
	}
	return "", nil
}

// walk lists the directories with Go files below root, as "go list root/..."
// does: without other modules, vendor, testdata and what begins with . or _.
func walk(root string) ([]string, error) {
	var dirs []string
	err := filepath.WalkDir(root, func(dir string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !entry.IsDir() {
			return nil
		}
		if dir != root {
			if ignored(entry.Name()) || exists(filepath.Join(dir, "go.mod")) {
				return filepath.SkipDir
			}
		}
		if hasGoFiles(dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	return dirs, err
}

// ignored reports whether the go command leaves a directory out of "...".
func ignored(name string) bool {
	return name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

func hasGoFiles(dir string) bool {
	names, err := filepath.Glob(filepath.Join(globEscape(dir), "*.go"))
	return err == nil && slices.ContainsFunc(names, func(name string) bool { return !strings.HasSuffix(name, "_test.go") })
}

// globEscape makes a directory stand for itself in a glob pattern.
func globEscape(dir string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}
