package generators

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// leftover is a file of this tool's that this run does not write.
type leftover struct {
	path string // absolute
	// importPath and kind are the API type that it was written for, or empty: a
	// file of a whole package, or one that this tool can't have written.
	importPath, kind string
	// factory is the folder of the factory that it belongs to, if another run wrote that.
	factory string
}

// sweeper finds out which leftovers are stale.
type sweeper struct {
	loader  *load.Loader
	to      targets
	groups  map[string]*collect.Group // by import path and name of their kinds' types
	written map[string]bool           // the files of this run
	// failed are the packages that collecting types has looked for and not found, in
	// which it might have seen another type.
	failed  map[string]error
	folders map[string]bool // the directories that it writes to
	slim    map[string]bool // the directories that have slim types
	// factories are the results of otherFactory.
	factories map[string]string
}

func newSweeper(loader *load.Loader, to targets, model *collect.Model, files []output.Rendered) *sweeper {
	s := &sweeper{loader: loader, to: to, failed: maps.Clone(loader.Failed), groups: map[string]*collect.Group{}, written: map[string]bool{}, folders: map[string]bool{}, slim: map[string]bool{}, factories: map[string]string{}}
	for _, of := range model.Copies {
		s.slim[of.Dir] = true
	}
	for _, file := range files {
		s.written[file.Path] = true
		s.folders[filepath.Dir(file.Path)] = true
	}
	for group, kind := range model.Kinds() {
		s.groups[kind.API.Path+"."+kind.Name] = group
	}
	return s
}

// What a run may write below an output folder, as patterns of path.Match.
var (
	informersLayout = []string{"factory.go", "generic.go", "internalinterfaces/*.go", "*/interface.go", "*/*/*.go"}
	listersLayout   = []string{"*/*/*.go"}
	clientsLayout   = []string{"clients.go", "*/interface.go", "*/*/*.go"}
)

// swept returns the folders in which this run's files are, with their layouts. Listers of another
// tool are left out, and so are clients that may be another run's.
func (s *sweeper) swept(options *Options) map[string][]string {
	roots := map[string][]string{s.to.informers.dir: informersLayout}
	if !options.SkipListers {
		roots[s.to.listers.dir] = listersLayout
	}
	if options.Clients || roots[s.to.clients.dir] == nil && s.hadClients() {
		roots[s.to.clients.dir] = clientsLayout
	}
	return roots
}

// hadClients reports whether an earlier run wrote clients: some stand there, inside of the
// module, and no other folder beside that of the informers has a factory whose run they may be of.
func (s *sweeper) hadClients() bool {
	if s.to.inside(s.loader.Dir, s.loader.Mods, s.to.clients) != nil {
		return false
	}
	if content, err := os.ReadFile(filepath.Join(s.to.clients.dir, "clients.go")); err != nil || !header.IsOwn(content) {
		return false
	}
	beside := filepath.Join(filepath.Dir(s.to.informers.dir), "*")
	factories, _ := filepath.Glob(filepath.Join(beside, "factory.go")) // none if the folder's name is a wrong pattern
	levels, _ := filepath.Glob(filepath.Join(beside, "*", "factory.go"))
	own := s.to.informers.dir + string(filepath.Separator)
	return !slices.ContainsFunc(append(factories, levels...), func(file string) bool {
		content, err := os.ReadFile(file)
		return err == nil && !strings.HasPrefix(file, own) && header.IsOwn(content)
	})
}

// stale lists the leftovers of the informers, listers and clients whose API types are no
// more. In a run that could not load a package no file of a type goes. What another run over
// other API packages wrote to the folder of the informers or of the clients is a problem: one
// factory can't serve both.
func (s *sweeper) stale(options *Options, diags *diag.List) ([]string, error) {
	roots := s.swept(options)
	stale := s.staleCopies()
	for _, root := range slices.Sorted(maps.Keys(roots)) {
		leftovers, err := s.leftovers(root, roots[root])
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		if root == s.to.informers.dir && s.checkOthers(options, root, leftovers, diags) {
			continue
		}
		refuses := root == s.to.informers.dir || options.Clients && root == s.to.clients.dir
		kept := s.kept(root, refuses, leftovers, diags)
		unneeded := slices.DeleteFunc(slices.Clone(leftovers), func(file leftover) bool { return kept[file.path] })
		if len(unneeded) > 0 && len(s.failed) > 0 {
			s.warnUnswept(root, unneeded[0].path, diags)
			unneeded = nil
		}
		if root == s.to.clients.dir && len(unneeded) > 0 && !options.Clients && !options.types().HasClientset() {
			diags.Warnf(token.Position{Filename: paths.Relative(s.loader.Dir, unneeded[0].path)},
				"clients: an earlier run wrote %s with --clients, which this one lacks, so that they are removed; add --clients to keep them", paths.Relative(s.loader.Dir, root))
		}
		for _, file := range unneeded {
			stale = append(stale, file.path)
		}
		if root == s.to.informers.dir {
			s.warnMoved(leftovers, diags)
			s.warnRenamed(diags)
		}
	}
	slices.Sort(stale)
	return slices.Compact(stale), nil
}

// staleCopies lists the deep-copy files of packages that this run reads and that declare no
// slim type any more.
func (s *sweeper) staleCopies() []string {
	var stale []string
	for _, dir := range s.loader.Read {
		path := filepath.Join(dir, collect.CopiesFile)
		if s.slim[dir] {
			continue
		}
		if content, err := os.ReadFile(path); err == nil && header.IsOwn(content) {
			stale = append(stale, path)
		}
	}
	return stale
}

// leftovers lists the files below a root that this tool wrote and this run does
// not, where runs with this root write. A folder with a factory of another run is that run's.
func (s *sweeper) leftovers(root string, layout []string) (files []leftover, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch err = cmp.Or(err, s.loader.Ctx.Err()); {
		case errors.Is(err, os.ErrNotExist) && path == root:
			return nil
		case err != nil:
			return err
		case entry.IsDir():
			if path != root && (load.Ignored(entry.Name()) || paths.Exists(filepath.Join(path, "go.mod"))) {
				return filepath.SkipDir
			}
			return nil
		case !entry.Type().IsRegular() || entry.Name() == collect.CopiesFile || s.written[path] || !s.isIn(layout, root, path):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil || !header.IsOwn(content) {
			return err
		}
		file := originOf(path, content)
		file.factory = s.otherFactory(filepath.Dir(path))
		below, err := filepath.Rel(root, file.factory)
		if file.factory == "" || err != nil || !filepath.IsLocal(below) || below == "." || levels[below] != "" {
			files = append(files, file)
		}
		return nil
	})
	return files, err
}

// isIn reports whether a file below a root is in its layout, which each level of the informers has.
func (s *sweeper) isIn(layout []string, root, file string) bool {
	name := filepath.ToSlash(strings.TrimPrefix(file, root+string(filepath.Separator)))
	if level, rest, ok := strings.Cut(name, "/"); ok && levels[level] != "" && root == s.to.informers.dir {
		name = rest
	}
	return slices.ContainsFunc(layout, func(pattern string) bool {
		matched, _ := path.Match(pattern, name)
		return matched
	})
}

// levels are the folders that a run with a clientset adds, with the flag that names the clientset.
var levels = map[string]string{"externalversions": "--versioned-clientset-package", "internalversion": "--internal-clientset-package"}

// otherFactory returns the folder of the factory that the files of a folder belong to, which may be a
// group or a version of it, if another run wrote that factory.
func (s *sweeper) otherFactory(folder string) string {
	if dir, ok := s.factories[folder]; ok {
		return dir
	}
	found := ""
	for _, dir := range []string{folder, filepath.Dir(folder), filepath.Dir(filepath.Dir(folder))} {
		file := filepath.Join(dir, "factory.go")
		if content, err := os.ReadFile(file); err == nil && header.IsOwn(content) && bytes.Contains(content, []byte("\ntype SharedInformerFactory ")) {
			if !s.written[file] {
				found = dir
			}
			break
		}
	}
	s.factories[folder] = found
	return found
}

// checkOthers warns of a factory of another run if this run takes its place. It refuses if the factory
// stands above the root, or has files whose API type is not known.
func (s *sweeper) checkOthers(options *Options, root string, leftovers []leftover, diags *diag.List) (refused bool) {
	told := map[string]bool{"": true}
	for _, file := range leftovers {
		dir := file.factory
		if told[dir] {
			continue
		}
		told[dir] = true
		is := func(of func(leftover) bool) bool {
			return slices.ContainsFunc(leftovers, func(file leftover) bool { return file.factory == dir && of(file) })
		}
		wrote, advice, above := s.otherRun(options, root, dir)
		pos, shown := token.Position{Filename: paths.Relative(s.loader.Dir, file.path)}, paths.Relative(s.loader.Dir, dir)
		switch {
		case above:
			diags.Errorf(pos, "output: an earlier run %s wrote it; %s", wrote, advice)
			return true
		case is(s.unknown):
			diags.Errorf(pos, "output: an earlier run %s wrote it; %s, or remove %s if it is to go", wrote, advice, shown)
			return true
		case len(s.failed) == 0 && is(s.replaced):
			diags.Warnf(pos, "output: an earlier run %s wrote it, and this one takes its place, so that all files of its factory in %s are removed; %s to keep them", wrote, shown, advice)
		}
	}
	return false
}

// otherRun returns the flags of a run with its factory in a folder, and how to keep that factory. If above
// is set, the folder stands above the root, or is the root by mistake.
func (s *sweeper) otherRun(options *Options, root, dir string) (flags, advice string, above bool) {
	level, output := filepath.Base(dir), dir
	if levels[level] != "" {
		output = filepath.Dir(dir)
	}
	folder := "with --output-dir " + paths.Relative(s.loader.Dir, output)
	switch {
	case dir == root && levels[level] != "":
		return folder, "name that folder, or add --single-directory: without it a clientset adds " + level, true
	case dir == root:
		return "without a clientset, or with --single-directory,", "leave out the clientset or add --single-directory", false
	case filepath.Dir(dir) != root:
		return folder, "name that folder, or a folder outside of it", true
	case options.SingleDirectory && options.types().HasClientset():
		return "without --single-directory", "leave out that flag", false
	}
	return "with " + levels[level], "add that flag", false
}

// replaced reports whether this run writes an informer for the API type of a file.
func (s *sweeper) replaced(file leftover) bool { return s.groups[file.importPath+"."+file.kind] != nil }

// unknown reports whether nothing tells which API type a file was written for, where this run writes nothing.
func (s *sweeper) unknown(file leftover) bool {
	return file.kind == "" && !derived[filepath.Base(file.path)] && !s.folders[filepath.Dir(file.path)]
}

// ofKind matches the types that are declared for each kind: FooInformer, FooLister or FooInterface.
var ofKind = regexp.MustCompile(`.(Informer|Lister|Interface)$`)

// originOf reads which API type a file was written for. It looks only at files with a type that is declared
// for each kind: the first type of another package behind a pointer, or in a literal, by the kind's name.
func originOf(path string, content []byte) leftover {
	file := leftover{path: path}
	syntax, err := parser.ParseFile(token.NewFileSet(), path, content, parser.SkipObjectResolution)
	if err != nil {
		return file
	}
	declared, imports := load.TypesOf(syntax), load.ImportsOf(syntax)
	if !slices.ContainsFunc(declared, ofKind.MatchString) {
		return file
	}
	ast.Inspect(syntax, func(node ast.Node) bool {
		var of ast.Expr
		switch node := node.(type) {
		case *ast.StarExpr:
			of = node.X
		case *ast.CompositeLit: // code-generator's: &v1.Foo{}
			of = node.Type
		}
		selector, ok := of.(*ast.SelectorExpr)
		if !ok || file.kind != "" || imports[load.BaseName(selector.X)] == "" {
			return file.kind == ""
		}
		if _, pointer := node.(*ast.StarExpr); pointer || slices.Contains(declared, selector.Sel.Name+"Informer") {
			file.importPath, file.kind = imports[load.BaseName(selector.X)], selector.Sel.Name
		}
		return file.kind == ""
	})
	return file
}

// derived are the files that are written for a whole version, group or factory.
var derived = map[string]bool{
	"factory.go": true, "generic.go": true, "factory_interfaces.go": true, "interface.go": true, "constructors.go": true, "expansion_generated.go": true,
	"clients.go": true,
}

// kept are the leftovers that are not stale: those of API types that there still
// are in packages which this run does not read, and what belongs to them. If refuses is
// set, these are a problem.
func (s *sweeper) kept(root string, refuses bool, leftovers []leftover, diags *diag.List) map[string]bool {
	kept, alive := map[string]bool{}, map[string]bool{} // alive: directories with one, and those above
	reported := map[string]bool{}
	for _, file := range leftovers {
		reason, needed := s.needed(file)
		if !needed && !s.unknown(file) {
			continue
		}
		kept[file.path] = true
		for dir := filepath.Dir(file.path); dir != filepath.Dir(root); dir = filepath.Dir(dir) {
			alive[dir] = true
		}
		switch {
		case !needed:
			diags.Warnf(token.Position{Filename: paths.Relative(s.loader.Dir, file.path)}, "output: has this tool's first line, but no API type that it was written for; remove it if it is to go")
		case refuses && !reported[file.importPath]:
			reported[file.importPath] = true
			s.refuse(file, reason, diags)
		}
	}
	for _, file := range leftovers {
		if dir := filepath.Dir(file.path); file.kind == "" && alive[dir] && !s.folders[dir] {
			kept[file.path] = true
		}
	}
	return kept
}

// warnUnswept warns that leftovers stay, such as a file, since this run could not read every package.
func (s *sweeper) warnUnswept(root, file string, diags *diag.List) {
	first := slices.Min(slices.Collect(maps.Keys(s.failed)))
	diags.Warnf(token.Position{Filename: paths.Relative(s.loader.Dir, file)},
		"output: not removed, nor are others in %s: their API types seem to be gone, but not all packages could be loaded: %v; fix that and run again",
		paths.Relative(s.loader.Dir, root), s.failed[first])
}

// warnMoved warns of groups that move to another directory because another group has
// their name: the code that uses them must follow.
func (s *sweeper) warnMoved(leftovers []leftover, diags *diag.List) {
	for _, file := range leftovers {
		group := s.groups[file.importPath+"."+file.kind]
		if group == nil || group.Shared == "" {
			continue
		}
		if before := filepath.Dir(filepath.Dir(file.path)); filepath.Base(before) != group.Dir {
			diags.Warnf(group.Pos, "group: %q moves from %s to %s, and is called %s in Go, because %q has the name too; keep one with +groupGoName",
				group.Name, paths.Relative(s.loader.Dir, before), paths.Relative(s.loader.Dir, filepath.Join(filepath.Dir(before), group.Dir)), group.GoName, group.Shared)
		}
	}
}

// warnRenamed warns of groups whose directory stays, and whose method of the factory
// is called otherwise from now on because another group has its name.
func (s *sweeper) warnRenamed(diags *diag.List) {
	for file := range s.written {
		if filepath.Base(file) != "factory.go" {
			continue
		}
		before := methodsByPackage(file)
		for _, group := range s.groups {
			method := before[group.Dir]
			if group.Shared == "" || method == "" || method == group.GoName {
				continue
			}
			diags.Warnf(group.Pos, "group: %q was %s in Go, and is %s from now on, because %q has the name too; keep it with +groupGoName=%s, and give the other one another",
				group.Name, method, group.GoName, group.Shared, method)
		}
	}
}

// methodsByPackage reads the methods of the interfaces in a factory by the last
// element of the package whose Interface they return. A file that is not there has
// none.
func methodsByPackage(file string) map[string]string {
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	imports := load.ImportsOf(syntax)
	found := map[string]string{}
	ast.Inspect(syntax, func(node ast.Node) bool {
		field, ok := node.(*ast.Field)
		if !ok || len(field.Names) != 1 {
			return true
		}
		signature, ok := field.Type.(*ast.FuncType)
		if !ok || signature.Results.NumFields() != 1 {
			return true
		}
		if result, ok := signature.Results.List[0].Type.(*ast.SelectorExpr); ok && result.Sel.Name == "Interface" {
			found[load.LastElement(imports[load.BaseName(result.X)])] = field.Names[0].Name
		}
		return true
	})
	return found
}

// refuse reports informers or clients of API packages that this run does not read.
func (s *sweeper) refuse(file leftover, reason string, diags *diag.List) {
	name := paths.Relative(s.loader.Dir, file.path)
	diags.Errorf(token.Position{Filename: name}, "output: an earlier run wrote it for %s in %s, %s; "+
		"name the packages of all types in one run, give each run an --output-dir of its own, or remove %s if it is to go",
		file.kind, file.importPath, reason, filepath.Dir(name))
}

// needed reports whether the API type of a file may still have one, and why.
func (s *sweeper) needed(file leftover) (reason string, needed bool) {
	if file.kind == "" || s.loader.Looked[file.importPath] {
		return "", false
	}
	if s.loader.Mods.Gone(file.importPath, s.loader.Dir) {
		return "", false
	}
	pkg := s.loader.LoadImport(file.importPath, s.loader.Dir)
	if pkg == nil {
		return fmt.Sprintf("which can't be looked into: %v", s.loader.Failed[file.importPath]), true
	}
	return "which this run does not read", pkg.Type(file.kind) != nil
}
