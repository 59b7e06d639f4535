package generators

import (
	"cmp"
	"fmt"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	modpath "golang.org/x/mod/module"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
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

// targets says where output goes.
type targets struct {
	informers, listers, clients folder
	// imported are the folders whose packages generated code imports, or is in.
	imported []folder
	// home is the module that the folder of the informers is in, or nil.
	home *load.Module
}

// inside reports a folder that is not in the module of the informers, where it seems to be or
// where links lead to, unless the go.mod there says its import path. Nothing is in a module if
// the informers are in none.
func (t targets) inside(base string, mods *load.Modules, out folder) error {
	if t.home == nil {
		return nil
	}
	dir, shown := resolved(out.dir), paths.Relative(base, out.dir)
	mod, err := mods.Of(dir)
	if err == nil && strings.HasPrefix(filepath.ToSlash(strings.TrimPrefix(dir, mod.Dir)+"/"), "/vendor/") {
		return fmt.Errorf("output: %s: is a folder of vendored code, which go mod vendor replaces; choose another --output-dir", shown)
	}
	if path, _ := mods.ImportPath(dir); err == nil && (path == out.path || mod.Dir == resolved(t.home.Dir)) {
		return nil
	}
	if rel, err := filepath.Rel(t.home.Dir, out.dir); err == nil && dir != filepath.Join(resolved(t.home.Dir), rel) {
		return fmt.Errorf("output: %s: leads to %s by a link, outside of module %s; remove the link, or name that folder with --output-dir and its import path with --output-pkg", shown, dir, t.home.Path)
	}
	return fmt.Errorf("output: %s: is outside of module %s, in which the informers are; choose an --output-dir below its root, such as ./informers, or other --listers-package",
		shown, t.home.Path)
}

// resolved returns a path without links, of which the end need not exist.
func resolved(path string) string {
	existing := path
	for !paths.Exists(existing) && filepath.Dir(existing) != existing {
		existing = filepath.Dir(existing)
	}
	found, _ := filepath.EvalSymlinks(existing)
	return filepath.Join(cmp.Or(found, existing), strings.TrimPrefix(path, existing))
}

// roots are the directories of the imported folders, which stay when they are empty.
func (t targets) roots() []string {
	var dirs []string
	for _, folder := range t.imported {
		dirs = append(dirs, folder.dir)
	}
	return dirs
}

// resolveTargets works out the output folders.
func resolveTargets(options *Options, mods *load.Modules) (targets, error) {
	var found targets
	dir := options.OutputDir
	if dir == "" {
		mod, err := mods.Of(options.Dir)
		if err != nil {
			return found, fmt.Errorf("output: %s: %w; name the output with --output-dir and --output-pkg", paths.Relative(options.Dir, options.Dir), err)
		}
		dir = filepath.Join(mod.Dir, "pkg", "generated", "informers")
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(options.Dir, dir)
	}
	found.informers = folder{dir: filepath.Clean(dir), path: options.OutputPackage}
	if found.informers.path == "" {
		inferred, err := mods.ImportPath(found.informers.dir)
		if err != nil {
			return found, fmt.Errorf("output: %s: %w; name the import path with --output-pkg", paths.Relative(options.Dir, found.informers.dir), err)
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
	found.home, _ = mods.Of(found.informers.dir) // no module, none to stay inside
	found.imported = []folder{found.informers, found.listers}
	if options.Clients {
		found.imported = append(found.imported, found.clients)
	}
	return found, found.check(options, mods)
}

// check reports folders that can't be written to, or whose import path Go does not allow.
func (t targets) check(options *Options, mods *load.Modules) error {
	for _, out := range t.imported {
		if err := usable(options.Dir, out.dir); err != nil {
			return err
		}
		if written := !options.SkipListers || out != t.listers; written {
			if err := t.inside(options.Dir, mods, out); err != nil {
				return err
			}
		}
		if err := modpath.CheckImportPath(out.path); err != nil {
			return fmt.Errorf("output: %s: %w; choose another folder", paths.Relative(options.Dir, out.dir), err)
		}
	}
	return nil
}

// usable reports that a path can't be a directory, because a file stands there
// or above it.
func usable(dir, out string) error {
	for at := out; ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		if err == nil && !info.IsDir() {
			return fmt.Errorf("output: %s: is a file; name a directory", paths.Relative(dir, at))
		}
		if _, linkErr := os.Lstat(at); err != nil && linkErr == nil {
			return fmt.Errorf("output: %s: can't be followed: %w; remove the link, or name another directory", paths.Relative(dir, at), err)
		}
		if err == nil || filepath.Dir(at) == at {
			return nil
		}
	}
}

// checkReachable reports the API packages that lie in an internal directory and that
// the output could not import therefore.
func (r *run) checkReachable(diags *diag.List) {
	seen := map[string]bool{}
	for _, kind := range r.model.Kinds() {
		parent, inside := load.InternalParent(kind.API.Path)
		if !inside || seen[kind.API.Path] {
			continue
		}
		seen[kind.API.Path] = true
		for _, out := range r.to.imported {
			if !strings.HasPrefix(out.path+"/", parent) {
				diags.Errorf(kind.Pos, "package: %s is internal, and %s can't import it; choose an output below %s", kind.API.Path, out.path, strings.TrimSuffix(parent, "/"))
			}
		}
	}
}

// base is the folder that the paths of files in templates begin from.
func (t targets) base() folder {
	return folder{dir: filepath.Dir(t.informers.dir), path: path.Dir(t.informers.path)}
}

// place is the absolute path of a file as templates name it.
func (t targets) place(name string) string {
	if rooted, ok := strings.CutPrefix(name, "/"); ok && t.home != nil {
		return filepath.Join(t.home.Dir, filepath.FromSlash(rooted))
	}
	return t.base().join(filepath.FromSlash(name)).dir
}

// folderOf returns a directory with its import path, as far as that is known.
func (t targets) folderOf(dir string) folder {
	roots := []folder{t.listers, t.clients, t.informers, t.base()}
	if t.home != nil {
		roots = append(roots, folder{dir: t.home.Dir, path: t.home.Path})
	}
	for _, root := range roots {
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

// checkPlaces reports outputs that can't go to their places: two packages in one directory, a directory that
// holds the API types or is among other packages, and a link that leads out of the module.
func (r *run) checkPlaces(outputs []output.File) error {
	folders, files := map[string]string{}, map[string]bool{}
	for _, out := range outputs {
		folder, name := filepath.Dir(out.Path), out.Data.Package
		if files[out.Path] || folders[folder] != "" && folders[folder] != name {
			return fmt.Errorf("output: %s: two packages would be written to its directory; give the listers one of their own, and leave out --single-directory", paths.Relative(r.options.Dir, out.Path))
		}
		files[out.Path] = true
		if out.Template != templates.DeepCopies && folders[folder] == "" { // which are in a package of API types
			folders[folder] = name
			if err := r.to.inside(r.options.Dir, r.loader.Mods, r.to.folderOf(folder)); err != nil {
				return err
			}
		}
	}
	var diags diag.List
	for _, kind := range r.model.Kinds() {
		if folders[kind.Dir] != "" {
			diags.Errorf(kind.Pos, "package: %s would hold generated code besides %s; choose an output that lies elsewhere", kind.API.Path, kind.Name)
			delete(folders, kind.Dir)
		}
	}
	for folder, name := range folders {
		if file, other := r.loader.PackageIn(folder, files); other != "" && other != name {
			diags.Errorf(token.Position{Filename: paths.Relative(r.options.Dir, file)}, "package %s: %s is to be generated beside it; choose an output that lies elsewhere", other, name)
		}
	}
	return diags.Err()
}

// advise warns of options that are likely mistakes: those that nothing
// corresponds to.
func (r *run) advise(diags *diag.List) {
	options, to, mods := r.options, r.to, r.loader.Mods
	for _, path := range options.types().Clientsets() {
		if mods.Lacks(path, options.Dir) {
			diags.Warnf(diag.NoPosition, "clientset: %s does not exist yet; the output compiles when client-gen has written it", path)
		}
	}
	if options.SkipListers && mods.Lacks(options.ListersPackage, options.Dir) && !paths.Exists(to.listers.dir) {
		diags.Warnf(diag.NoPosition, "listers: %s does not exist yet; the output compiles when it has been written, which it is without --skip-listers", options.ListersPackage)
	}
	if inferred, err := mods.ImportPath(to.informers.dir); err == nil && inferred != to.informers.path {
		diags.Warnf(diag.NoPosition, "output: %s: is %s by go.mod, not %s; the output compiles where --output-pkg says that it is",
			paths.Relative(options.Dir, to.informers.dir), inferred, to.informers.path)
	}
}
