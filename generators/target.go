package generators

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
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
	for _, out := range found.imported(options) {
		if err := usable(options.Dir, out.dir); err != nil {
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

func firstElement(importPath string) string {
	first, _, _ := strings.Cut(importPath, "/")
	return first
}

// lastElement is the last element of an import path, which in general is the
// package's name.
func lastElement(importPath string) string { return path.Base(importPath) }

// placeable reports outputs that can't be where they are to go: two packages in
// one directory, one that holds the API types, or one among other packages.
func (l *loader) placeable(dir string, outputs []output, model *Model) error {
	folders, files := map[string]string{}, map[string]bool{}
	for _, out := range outputs {
		folder, name := filepath.Dir(out.path), out.data.PackageName()
		if files[out.path] || folders[folder] != "" && folders[folder] != name {
			return fmt.Errorf("output: %s: two packages would be written to its directory; give the listers one of their own, and leave out --single-directory", relative(dir, out.path))
		}
		files[out.path] = true
		if _, beside := out.data.(*templates.DeepCopies); !beside { // which are in a package of API types
			folders[folder] = name
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
