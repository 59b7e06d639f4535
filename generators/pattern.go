package generators

import (
	"context"
	"errors"
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
	var problems []error
	for _, pattern := range patterns {
		base, recursive := strings.CutSuffix(filepath.ToSlash(pattern), "...")
		if recursive {
			base = strings.TrimSuffix(base, "/")
		}
		root, err := rootOf(dir, base, mods)
		if err == nil && root == "" {
			listed = append(listed, pattern)
			continue
		}
		var dirs []string
		if err == nil {
			dirs, err = directories(root, recursive)
		}
		for _, d := range dirs {
			var path string
			if path, err = mods.importPath(d); err != nil {
				err = fmt.Errorf("%s: %w; go mod init makes one", relative(dir, d), err)
				break
			}
			add(path, d, !recursive)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("pattern %q: %w", pattern, err))
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	if len(listed) > 0 {
		dirs, err := packageDirs(ctx, dir, listed, also)
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

// directories lists a directory, or those with Go files in and below it.
func directories(root string, recursive bool) ([]string, error) {
	if !recursive && hasGoFiles(root) {
		return []string{root}, nil
	}
	dirs, err := walk(root)
	if err != nil || recursive {
		return dirs, err
	}
	hint := "name the directory of the API types"
	if len(dirs) > 0 {
		hint = "write /... behind it for those below"
	}
	return nil, fmt.Errorf("no Go files in it; %s", hint)
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
		return "", noDirectory(dir, base)
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
	// With a separator at its end, a root that is a link is followed.
	err := filepath.WalkDir(root+string(filepath.Separator), func(dir string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir = filepath.Clean(dir)
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
