package generators

import (
	"cmp"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/templates"
)

// folder is a directory with its import path.
type folder struct {
	dir  string // absolute
	path string
}

func (f folder) join(elements ...string) folder {
	return folder{
		dir:  filepath.Join(append([]string{f.dir}, elements...)...),
		path: path.Join(append([]string{f.path}, elements...)...),
	}
}

func (f folder) as(name string) templates.Import {
	return templates.Import{Path: f.path, Name: name}
}

// targets says where output goes.
type targets struct {
	informers, listers, clients folder
	// home is the module that the folder of the informers is in, or nil.
	home *module
}

// written are the folders that files are written to.
func (t targets) written(options *Options) []folder {
	return slices.DeleteFunc(t.imported(options), func(out folder) bool { return options.SkipListers && out == t.listers })
}

// inside reports a folder that is not in the module of the informers, where it seems to be or
// where links lead to, unless the go.mod there says its import path. Nothing is in a module if
// the informers are in none.
func (t targets) inside(base string, mods *modules, out folder) error {
	if t.home == nil {
		return nil
	}
	dir, shown := resolved(out.dir), relative(base, out.dir)
	mod, err := mods.of(dir)
	if err == nil && strings.HasPrefix(filepath.ToSlash(strings.TrimPrefix(dir, mod.dir)+"/"), "/vendor/") {
		return fmt.Errorf("output: %s: is a folder of vendored code, which go mod vendor replaces; choose another --output-dir", shown)
	}
	if path, _ := mods.importPath(dir); err == nil && (path == out.path || mod.dir == resolved(t.home.dir)) {
		return nil
	}
	if rel := relativeTo(t.home.dir, out.dir); dir != filepath.Join(resolved(t.home.dir), rel) {
		return fmt.Errorf("output: %s: leads to %s by a link, outside of module %s; remove the link, or name that folder with --output-dir and its import path with --output-pkg", shown, dir, t.home.path)
	}
	return fmt.Errorf("output: %s: is outside of module %s, in which the informers are; choose an --output-dir below its root, such as ./informers, or other --listers-package",
		shown, t.home.path)
}

// resolved returns a path without links, of which the end need not exist.
func resolved(path string) string {
	found, err := filepath.EvalSymlinks(path)
	if err == nil || filepath.Dir(path) == path {
		return filepath.Clean(cmp.Or(found, path))
	}
	return filepath.Join(resolved(filepath.Dir(path)), filepath.Base(path))
}

// imported are the folders whose packages generated code imports, or is in.
func (t targets) imported(options *Options) []folder {
	if options.Clients {
		return []folder{t.informers, t.listers, t.clients}
	}
	return []folder{t.informers, t.listers}
}

// roots are the directories of these folders, which stay when they are empty.
func (t targets) roots(options *Options) []string {
	var dirs []string
	for _, folder := range t.imported(options) {
		dirs = append(dirs, folder.dir)
	}
	return dirs
}

// resolveTargets works out the output folders.
func resolveTargets(options *Options, mods *modules) (targets, error) {
	var found targets
	dir := options.OutputDir
	if dir == "" {
		mod, err := mods.of(options.Dir)
		if err != nil {
			return found, fmt.Errorf("output: %s: %w; name the output with --output-dir and --output-pkg", relative(options.Dir, options.Dir), err)
		}
		dir = filepath.Join(mod.dir, "pkg", "generated", "informers")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(options.Dir, dir)
	}
	found.informers = folder{dir: filepath.Clean(dir), path: options.OutputPackage}
	if found.informers.path == "" {
		inferred, err := mods.importPath(found.informers.dir)
		if err != nil {
			return found, fmt.Errorf("output: %s: %w; name the import path with --output-pkg", relative(options.Dir, found.informers.dir), err)
		}
		found.informers.path = inferred
	}
	listers := options.ListersPackage
	if listers == "" {
		listers = path.Join(path.Dir(found.informers.path), "listers")
	}
	rel, err := filepath.Rel("/"+found.informers.path, "/"+listers)
	if err != nil {
		return found, fmt.Errorf("listers: %w", err)
	}
	if !options.SkipListers && firstElement(listers) != firstElement(found.informers.path) {
		return found, fmt.Errorf("listers: %s shares no root with %s, so its directory is not known; use --skip-listers, or listers beside the informers", listers, found.informers.path)
	}
	found.listers = folder{dir: filepath.Join(found.informers.dir, rel), path: listers}
	if !options.SkipListers && (found.listers.dir == found.informers.dir || listers == found.informers.path) {
		return found, fmt.Errorf("listers: %s is the package of the informers too; give them one of their own", listers)
	}
	found.clients = folder{dir: filepath.Join(found.informers.dir, "..", "clients"), path: path.Join(path.Dir(found.informers.path), "clients")}
	if options.Clients && (found.clients.dir == found.informers.dir || !options.SkipListers && found.clients.dir == found.listers.dir) {
		return found, fmt.Errorf("clients: %s is the package of the informers or listers too; choose another --output-dir or --listers-package", found.clients.path)
	}
	found.home, _ = mods.of(found.informers.dir) // no module, none to stay inside
	for _, out := range found.imported(options) {
		if err := usable(options.Dir, out.dir); err != nil {
			return found, err
		}
	}
	for _, out := range found.written(options) {
		if err := found.inside(options.Dir, mods, out); err != nil {
			return found, err
		}
	}
	return found, nil
}

// usable reports that a path can't be a directory, because a file stands there
// or above it.
func usable(dir, out string) error {
	for at := out; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("output: %s: is a file; name a directory", relative(dir, at))
		}
		if err == nil || filepath.Dir(at) == at {
			return nil
		}
	}
}

// reachable reports the API packages that lie in an internal directory and that
// the output could not import therefore.
func reachable(options *Options, model *Model, to targets, diags *diagnostics) {
	seen := map[string]bool{}
	model.kinds(func(_ *Group, _ *Version, kind *Kind) {
		parent, inside := internalParent(kind.Package)
		if !inside || seen[kind.Package] {
			return
		}
		seen[kind.Package] = true
		for _, out := range to.imported(options) {
			if !strings.HasPrefix(out.path+"/", parent) {
				diags.errorf(kind.Pos, "package: %s is internal, and %s can't import it; choose an output below %s", kind.Package, out.path, strings.TrimSuffix(parent, "/"))
			}
		}
	})
}

// internalParent returns what a package's importers must begin with, if it lies
// in an internal directory.
func internalParent(importPath string) (string, bool) {
	path := "/" + importPath + "/"
	last := strings.LastIndex(path, "/internal/")
	if last < 0 {
		return "", false
	}
	return strings.TrimPrefix(path[:last+1], "/"), true
}

// folderOf returns a directory below one of the targets with its import path.
func (t targets) folderOf(dir string) folder {
	for _, root := range []folder{t.listers, t.clients, t.informers} {
		if rel, err := filepath.Rel(root.dir, dir); err == nil && filepath.IsLocal(rel) {
			return root.join(filepath.ToSlash(rel))
		}
	}
	return folder{dir: dir}
}

func firstElement(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	return first
}

// lastElement is the last element of an import path, which in general is the
// package's name.
func lastElement(importPath string) string { return path.Base(importPath) }

// placeable reports outputs that can't be where they are to go: two packages in
// one directory, one that holds the API types, one among other packages, or a link that leads
// out of the module.
func (l *loader) placeable(dir string, outputs []output, model *Model, to targets) error {
	folders, files := map[string]string{}, map[string]bool{}
	for _, out := range outputs {
		folder, name := filepath.Dir(out.path), out.data.PackageName()
		if files[out.path] || folders[folder] != "" && folders[folder] != name {
			return fmt.Errorf("output: %s: two packages would be written to its directory; give the listers one of their own, and leave out --single-directory", relative(dir, out.path))
		}
		files[out.path] = true
		_, beside := out.data.(*templates.DeepCopies) // which are in a package of API types
		if !beside && folders[folder] == "" {
			folders[folder] = name
			if err := to.inside(dir, l.mods, to.folderOf(folder)); err != nil {
				return err
			}
		}
	}
	var diags diagnostics
	model.kinds(func(_ *Group, _ *Version, kind *Kind) {
		if folders[kind.dir] != "" {
			diags.errorf(kind.Pos, "package: %s would hold generated code besides %s; choose an output that lies elsewhere", kind.Package, kind.Name)
			delete(folders, kind.dir)
		}
	})
	for folder, name := range folders {
		if file, other := l.packageIn(folder, files); other != "" && other != name {
			diags.errorf(token.Position{Filename: relative(dir, file)}, "package %s: %s is to be generated beside it; choose an output that lies elsewhere", other, name)
		}
	}
	return diags.err()
}

// packageIn returns a file of a folder that is built and that this tool does not
// write, and its package.
func (l *loader) packageIn(folder string, ours map[string]bool) (file, name string) {
	names, _ := goFiles(folder) // which need not exist
	for _, name := range names {
		file := filepath.Join(folder, name)
		if ours[file] {
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil || hasHeader(source) || !l.included(folder, name, source) {
			continue
		}
		if syntax, err := parser.ParseFile(token.NewFileSet(), file, source, parser.PackageClauseOnly); err == nil {
			return file, syntax.Name.Name
		}
	}
	return "", ""
}
