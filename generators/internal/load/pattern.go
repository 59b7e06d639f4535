package load

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/internal/suggest"
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

// located has the packages that patterns stand for.
type located struct {
	packages map[string]location // by import path
	// modules are the directories of other modules that patterns with ... passed
	// over, absolute.
	modules map[string]bool
}

func (f *located) add(path, dir string, named bool) {
	f.packages[path] = location{Path: path, Dir: dir, Named: named || f.packages[path].Named}
}

// sorted are the packages by import path, each once.
func (f *located) sorted() []location {
	return slices.SortedFunc(maps.Values(f.packages), func(a, b location) int { return strings.Compare(a.Path, b.Path) })
}

// otherModules are the modules with none of the packages.
func (f *located) otherModules() []string {
	for _, location := range f.packages {
		maps.DeleteFunc(f.modules, func(dir string, _ bool) bool {
			return location.Dir == dir || strings.HasPrefix(location.Dir, dir+string(filepath.Separator))
		})
	}
	return slices.Sorted(maps.Keys(f.modules))
}

// locate resolves patterns to packages. Directories are walked; import paths of
// the module that holds dir are mapped to directories; the go command is asked for
// all others together, and by the way for the directories of the packages in also.
func locate(ctx context.Context, dir string, patterns, also []string, mods *Modules) (*located, error) {
	found := &located{packages: map[string]location{}, modules: map[string]bool{}}
	var listed []string
	var problems []error
	for _, pattern := range patterns {
		known, err := found.walk(ctx, dir, pattern, mods)
		if err != nil {
			problems = append(problems, fmt.Errorf("pattern %q: %w", pattern, err))
		} else if !known {
			listed = append(listed, pattern)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	if len(listed) > 0 {
		dirs, err := mods.list(ctx, dir, listed, also)
		if err != nil {
			return nil, err
		}
		mods.listed = dirs
		for path, d := range dirs {
			if !slices.Contains(also, path) || slices.Contains(listed, path) {
				found.add(path, d, slices.Contains(listed, path))
			}
		}
	}
	return found, nil
}

// walk adds the packages of a pattern, and returns false if only the go command
// knows them.
func (f *located) walk(ctx context.Context, dir, pattern string, mods *Modules) (known bool, err error) {
	base, rest, recursive := strings.Cut(filepath.ToSlash(pattern), "...")
	if recursive && rest == "" {
		base = strings.TrimSuffix(base, "/")
	} else if recursive {
		base = base[:strings.LastIndexByte(base, '/')+1]
	}
	root, err := rootOf(dir, base, mods)
	if err != nil || root == "" {
		return false, err
	}
	dirs, modules, err := directories(ctx, root, recursive)
	if err != nil {
		return false, err
	}
	for _, module := range modules {
		f.modules[module] = true
	}
	matches := Matcher(strings.TrimPrefix(filepath.ToSlash(pattern), base))
	for _, d := range dirs {
		rel, err := filepath.Rel(root, d)
		if err != nil {
			return false, err
		}
		if recursive && rest != "" && !matches(filepath.ToSlash(rel)) {
			continue
		}
		path, err := mods.ImportPath(d)
		if err != nil {
			return false, fmt.Errorf("%s: %w; go mod init makes one", paths.Relative(dir, d), err)
		}
		f.add(path, d, !recursive)
	}
	return true, nil
}

// Matcher returns what tells whether a path matches a pattern, in which "..."
// stands for any text, and "/..." at its end for nothing as well.
func Matcher(pattern string) func(path string) bool {
	end := "$"
	if rest, ok := strings.CutSuffix(pattern, "/..."); ok {
		pattern, end = rest, "(/.*)?$"
	}
	expr := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\.\.\.`, ".*") + end)
	return expr.MatchString
}

// directories lists a directory, or those with Go files in and below it.
func directories(ctx context.Context, root string, recursive bool) (dirs, modules []string, err error) {
	if !recursive && hasGoFiles(root) {
		return []string{root}, nil, nil
	}
	dirs, modules, err = walk(ctx, root)
	if err != nil || recursive {
		return dirs, modules, err
	}
	hint := "name the directory of the API types"
	if len(dirs) > 0 {
		hint = "write /... behind it for those below"
	}
	return nil, nil, fmt.Errorf("no Go files in it; %s", hint)
}

// rootOf returns the directory that a pattern begins at, or "" if only the go
// command knows.
func rootOf(dir, base string, mods *Modules) (string, error) {
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
	mod, err := mods.Of(dir)
	if err != nil {
		return "", nil //nolint:nilerr // not in a module of ours: the go command may know more
	}
	if rel, ok := strings.CutPrefix(base+"/", mod.Path+"/"); ok {
		root := filepath.Join(mod.Dir, filepath.FromSlash(path.Clean("./"+rel)))
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			return root, nil
		}
	}
	return "", nil
}

// walk lists the directories with Go files below root, as "go list root/..."
// does: without vendor, testdata, what begins with . or _, and other modules, whose
// directories it lists as well.
func walk(ctx context.Context, root string) (dirs, modules []string, err error) {
	// With a separator at its end, a root that is a link is followed.
	err = filepath.WalkDir(root+string(filepath.Separator), func(dir string, entry fs.DirEntry, err error) error {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		dir = filepath.Clean(dir)
		if !entry.IsDir() {
			return nil
		}
		if dir != root {
			if Ignored(entry.Name()) {
				return filepath.SkipDir
			}
			if paths.Exists(filepath.Join(dir, "go.mod")) {
				modules = append(modules, dir)
				return filepath.SkipDir
			}
		}
		if hasGoFiles(dir) {
			dirs = append(dirs, dir)
		}
		return nil
	})
	return dirs, modules, err
}

// Ignored reports whether the go command leaves a directory out of "...".
func Ignored(name string) bool {
	return name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// noDirectory says that the directory of a pattern does not exist, seen from dir.
func noDirectory(dir, base string) error {
	parent, name := path.Split(base)
	var names []string
	entries, _ := os.ReadDir(paths.Absolute(dir, parent)) // no names, no suggestion
	for _, entry := range entries {
		if entry.IsDir() {
			names = append(names, entry.Name())
		}
	}
	from := ""
	if !filepath.IsAbs(base) {
		from = ", seen from " + dir
	}
	return fmt.Errorf("no such directory%s%s", from, suggest.DidYouMean(name, parent, names))
}
