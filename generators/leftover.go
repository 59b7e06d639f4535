package generators

import (
	"bytes"
	"cmp"
	"errors"
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
	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// sweeper finds out which leftovers are stale. What earlier runs wrote is known by the sentence in each
// file, and by the list of the files of users' templates, which may be anywhere.
type sweeper struct {
	options *Options
	loader  *load.Loader
	to      targets
	groups  map[string]*collect.Group // by import path and name of their kinds' types
	written map[string]bool           // the files of this run
	folders map[string]bool           // the directories that it writes to
	// failed are the packages that collecting types has looked for and not found, in
	// which it might have seen another type.
	failed map[string]error
	diags  *diag.List
	told   map[string]bool // the factories and packages of which there is a message
}

func newSweeper(r *run, files []output.Rendered, diags *diag.List) *sweeper {
	s := &sweeper{
		options: r.options, loader: r.loader, to: r.to, failed: maps.Clone(r.loader.Failed), diags: diags,
		groups: map[string]*collect.Group{}, written: map[string]bool{}, folders: map[string]bool{}, told: map[string]bool{},
	}
	for _, file := range files {
		s.written[file.Path] = true
		s.folders[filepath.Dir(file.Path)] = true
	}
	for _, of := range r.model.Copies {
		if of.Unknown { // and another run knows, which has the type that this one excludes
			s.written[filepath.Join(of.Dir, fields.CopiesFile)] = true
		}
	}
	for group, kind := range r.model.Kinds() {
		s.groups[kind.API.Path+"."+kind.Name] = group
	}
	return s
}

// leftover is a file of this tool that this run does not write.
type leftover struct {
	path string // absolute
	// root is the output folder that has it, or empty: this run alone could have written it.
	root string
	// importPath and kind are the API type that it was written for. They are empty for a file of
	// a whole package, and where nothing tells the type.
	importPath, kind string
	// factory is the folder of the factory that it belongs to, if another run wrote that.
	factory string
}

// layout has what a run may write below an output folder, as patterns of path.Match.
var layout = []string{"factory.go", "generic.go", "clients.go", "internalinterfaces/*.go", "*/interface.go", "*/*/*.go"}

// levels are the folders that a run with a clientset adds, with the flag that names the clientset.
var levels = map[string]string{"externalversions": "--versioned-clientset-package", "internalversion": "--internal-clientset-package"}

// inLayout reports whether a run may write a file with this path below an output folder.
func inLayout(name string) bool {
	level, below, _ := strings.Cut(name, "/")
	return slices.ContainsFunc(layout, func(pattern string) bool {
		matched, _ := path.Match(pattern, name)
		matchedBelow, _ := path.Match(pattern, below)
		return matched || matchedBelow && levels[level] != ""
	})
}

// readOwn reads a file that a template of this tool gave. It returns nil for any other file.
func readOwn(file string) []byte {
	content, err := os.ReadFile(file)
	if err != nil || !header.IsOwn(content) {
		return nil
	}
	return content
}

// leftovers lists the files in the output folders, of users' templates, and beside slim types.
func (s *sweeper) leftovers(list *manifest) ([]leftover, error) {
	var left []leftover
	for _, root := range s.roots() {
		found, err := s.below(root)
		if err != nil {
			return nil, err
		}
		left = append(left, found...)
	}
	for _, file := range list.left(s.written) {
		left = append(left, leftover{path: file})
	}
	for _, dir := range s.loader.Read {
		if file := filepath.Join(dir, fields.CopiesFile); !s.written[file] && readOwn(file) != nil {
			left = append(left, leftover{path: file})
		}
	}
	return left, nil
}

// roots are the folders in which this run's files are, without the listers of another tool and
// without clients that may be another run's.
func (s *sweeper) roots() []string {
	roots := []string{s.to.informers.dir}
	if !s.options.SkipListers {
		roots = append(roots, s.to.listers.dir)
	}
	if s.options.Clients || !slices.Contains(roots, s.to.clients.dir) && s.hadClients() {
		roots = append(roots, s.to.clients.dir)
	}
	return roots
}

// hadClients reports whether an earlier run with these informers wrote clients, inside of the module. They
// may be another run's if another folder beside the informers has a factory.
func (s *sweeper) hadClients() bool {
	if s.to.inside(s.loader.Dir, s.loader.Mods, s.to.clients) != nil || readOwn(filepath.Join(s.to.clients.dir, "clients.go")) == nil {
		return false
	}
	beside := filepath.Join(filepath.Dir(s.to.informers.dir), "*")
	factories, _ := filepath.Glob(filepath.Join(beside, "factory.go")) // none if the folder's name is a wrong pattern
	levels, _ := filepath.Glob(filepath.Join(beside, "*", "factory.go"))
	own := s.to.informers.dir + string(filepath.Separator)
	return !slices.ContainsFunc(append(factories, levels...), func(file string) bool {
		return !strings.HasPrefix(file, own) && readOwn(file) != nil
	})
}

// below lists the leftovers in an output folder, where runs with this folder write. A folder in it
// with a factory of another run is that run's.
func (s *sweeper) below(root string) (files []leftover, err error) {
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name := filepath.ToSlash(strings.TrimPrefix(path, root+string(filepath.Separator)))
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
		case !entry.Type().IsRegular() || entry.Name() == fields.CopiesFile || s.written[path] || !inLayout(name):
			return nil
		}
		content := readOwn(path)
		factory := s.otherFactory(filepath.Dir(path))
		if content != nil && (factory == "" || root == s.to.informers.dir && !isBelow(root, factory)) {
			file := originOf(content)
			file.path, file.root, file.factory = path, root, factory
			files = append(files, file)
		}
		return nil
	})
	return files, err
}

// isBelow reports whether a factory stands below the folder of the informers, and in no level of it.
func isBelow(root, factory string) bool {
	name, err := filepath.Rel(root, factory)
	return err == nil && filepath.IsLocal(name) && name != "." && levels[name] == ""
}

// otherFactory returns the folder of the factory that the files of a folder belong to, which may be a
// group or a version of it, if another run wrote that factory.
func (s *sweeper) otherFactory(folder string) string {
	for _, dir := range []string{folder, filepath.Dir(folder), filepath.Dir(filepath.Dir(folder))} {
		file := filepath.Join(dir, "factory.go")
		switch ours := bytes.Contains(readOwn(file), []byte("\ntype SharedInformerFactory ")); {
		case ours && s.written[file]:
			return ""
		case ours:
			return dir
		}
	}
	return ""
}

// ofKind matches the types that are declared for each kind: FooInformer, FooLister or FooInterface.
var ofKind = regexp.MustCompile(`.(Informer|Lister|Interface)$`)

// originOf reads which API type a file was written for. It looks only at files with a type that is declared
// for each kind: the first type of another package behind a pointer, or in a literal, by the kind's name.
func originOf(content []byte) (file leftover) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "", content, parser.SkipObjectResolution)
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
