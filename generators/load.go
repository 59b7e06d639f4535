package generators

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	modpath "golang.org/x/mod/module"
	"golang.org/x/sync/errgroup"
)

// Package is a Go package as far as it was parsed.
type Package struct {
	// Path, Name and Dir are its import path, the name in its package clause
	// and its absolute directory.
	Path, Name, Dir string
	// Files are sorted by name. Generated files without a marker are not among
	// them until something is looked up that the others don't declare.
	Files []*File

	loader   *loader
	deferred []string
	unbuilt  []*File                      // those with a sign that the go command would leave out
	getters  bool                         // a deferred file may have methods that matter
	declared map[string]map[string]method // by receiver and name, once methodsOf has looked
	mentions map[string]bool              // the words of the rules that its sources have
	methods  map[string]bool              // Type.Method, once declaresMethod has searched for them
	lookup   sync.Once
	types    map[string]*declaration
	consts   map[string]constant
}

// rules say what in sources matters, so that the rest need not be parsed or kept.
type rules struct {
	// ours reports whether a source was written by an earlier run; it is left out.
	ours func(source []byte) bool
	// sign reports whether a source has a sign of what is looked for, and mayDeclare whether
	// it may declare that: a package that only a pattern with ... matches is parsed for it.
	sign, mayDeclare func(source []byte) bool
	// defers reports whether a source is parsed only when something is looked up that the
	// others don't declare.
	defers func(source []byte) bool
	// hasMethod reports whether a source that is deferred declares a method that matters, and
	// methods are the names that declaresMethod knows of.
	hasMethod func(source []byte) bool
	methods   []string
	// words are searched for in packages.
	words []string
	// keeps reports whether a comment inside of a declaration is kept.
	keeps func(*ast.CommentGroup) bool
	// opaque is the import path of a package whose types are known by their names.
	opaque string
}

// File is a parsed file.
type File struct {
	// Name is the name without its directory.
	Name string
	// Syntax is the file with its comments but those that forgetInnerComments drops.
	Syntax *ast.File

	comments map[int]*ast.CommentGroup // by the line they end on
}

// constant is a constant or variable with the file that declares it.
type constant struct {
	file  *File
	value ast.Expr
}

// loader parses packages. Its methods are not safe for concurrent use; it uses
// several goroutines itself.
type loader struct {
	ctx          context.Context // of the run
	dir          string          // the working directory
	fset         *token.FileSet
	mods         *modules
	build        build.Context
	packages     map[string]*Package // by import path; nil if it can't be had
	failed       map[string]error    // why a package can't be had
	looked       map[string]bool     // the packages that the patterns name, by import path
	read         []string            // the directories of the packages that the patterns name, but excluded ones
	otherModules []string            // the directories of the modules below the patterns that have none of the packages
	log          func(format string, args ...any)
	counter      func(step string, total int, of string) func()
	rules        rules
}

func newLoader(ctx context.Context, options *Options) *loader {
	return &loader{
		ctx: ctx, dir: options.Dir, fset: token.NewFileSet(), mods: &modules{notice: options.Notice}, build: buildContext(),
		packages: map[string]*Package{}, failed: map[string]error{}, looked: map[string]bool{},
		log: options.log, counter: options.counter, rules: apiRules,
	}
}

// position returns where pos is in its file, whatever a //line comment says,
// with the path relative to the working directory.
func (l *loader) position(pos token.Pos) token.Position { return l.fset.PositionFor(pos, false) }

// load parses the packages of patterns, sorted by import path. Syntax errors
// are added to the diagnostics. Where the packages in also are is found out by
// the way, if that costs nothing. Packages that are excluded are not looked into.
func (l *loader) load(patterns, also []string, excluded func(dir, path string) bool, diags *diagnostics) ([]*Package, error) {
	found, err := locate(l.ctx, l.dir, patterns, also, l.mods)
	if err != nil {
		return nil, err
	}
	locations := found.sorted()
	for _, location := range locations {
		l.looked[location.Path] = true
	}
	locations = slices.DeleteFunc(locations, func(at location) bool { return excluded(at.Dir, at.Path) })
	for _, location := range locations {
		l.read = append(l.read, location.Dir)
	}
	l.otherModules = found.otherModules()
	packages := make([]*Package, len(locations))
	problems := make([]diagnostics, len(locations))
	loaded := l.counter("loading", len(locations), "packages")
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, location := range locations {
		group.Go(func() (err error) {
			defer loaded()
			packages[i], err = l.parse(location, &problems[i])
			return errors.Join(err, l.ctx.Err())
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range problems {
		diags.errors = append(diags.errors, problems[i].errors...)
	}
	packages = slices.DeleteFunc(packages, func(p *Package) bool { return p == nil })
	for _, pkg := range packages {
		l.packages[pkg.Path] = pkg
		l.log("loaded      %s from %s: %s", pkg.Path, relative(l.dir, pkg.Dir), count(len(pkg.Files), "file"))
	}
	return packages, nil
}

// buffers hold one source each. Most of a package of API types is generated files, which
// are searched and not kept.
var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// readInto reads a file into an empty buffer.
func readInto(buffer *bytes.Buffer, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	if info, err := file.Stat(); err == nil {
		buffer.Grow(int(info.Size()) + bytes.MinRead) // as much as ReadFrom wants at the end
	}
	_, err = buffer.ReadFrom(file)
	return err
}

// parse parses one package. It returns nil for one that only a pattern with ...
// matched and that declares nothing of interest.
func (l *loader) parse(at location, diags *diagnostics) (*Package, error) {
	names, err := goFiles(at.Dir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", at.Path, err)
	}
	pkg := &Package{Path: at.Path, Dir: at.Dir, loader: l, mentions: map[string]bool{}}
	sources, unbuilt := map[string][]byte{}, map[string][]byte{}
	interesting := at.Named
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	for _, name := range names {
		buffer.Reset()
		if err := readInto(buffer, filepath.Join(at.Dir, name)); err != nil {
			return nil, fmt.Errorf("package %s: %w", at.Path, err)
		}
		source := buffer.Bytes()
		switch {
		case l.rules.ours(source):
		case !l.included(at.Dir, name, source):
			if l.rules.sign(source) {
				unbuilt[name], interesting = bytes.Clone(source), true
			}
		case l.rules.defers(source):
			pkg.deferred = append(pkg.deferred, filepath.Join(at.Dir, name))
			pkg.getters = pkg.getters || l.rules.hasMethod(source)
		default:
			interesting = interesting || l.rules.mayDeclare(source)
			for _, word := range l.rules.words {
				pkg.mentions[word] = pkg.mentions[word] || bytes.Contains(source, []byte(word))
			}
			sources[name] = bytes.Clone(source)
		}
	}
	if !interesting {
		return nil, nil
	}
	for _, name := range names {
		if source, ok := sources[name]; ok {
			pkg.parseFile(name, source, diags)
		}
	}
	for _, name := range names {
		if source, ok := unbuilt[name]; ok {
			pkg.parseUnbuilt(name, source)
		}
	}
	return pkg, nil
}

// parseUnbuilt parses a file that the go command would leave out, to report the types in
// it as skipped. One with a syntax error is ignored.
func (p *Package) parseUnbuilt(name string, source []byte) {
	aside := &Package{Path: p.Path, Dir: p.Dir, Name: p.Name, loader: p.loader}
	aside.parseFile(name, source, new(diagnostics))
	p.unbuilt = append(p.unbuilt, aside.Files...)
}

func (p *Package) parseFile(name string, source []byte, diags *diagnostics) {
	shown := relative(p.loader.dir, filepath.Join(p.Dir, name))
	if bytes.Contains(source, []byte("\r\n")) { // which the parser leaves out of comments, so that places in them would be wrong
		source = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
	}
	syntax, err := parser.ParseFile(p.loader.fset, shown, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
			file := p.loader.fset.File(syntax.FileStart)
			for _, e := range list {
				diags.errorf(p.loader.position(file.Pos(e.Pos.Offset)), "syntax error: %s", e.Msg)
			}
		} else {
			diags.errorf(token.Position{Filename: shown}, "syntax error: %v", err)
		}
		return
	}
	if syntax.Name.Name == "documentation" {
		return // which the go command leaves out, too
	}
	if p.Name == "" {
		p.Name = syntax.Name.Name
	}
	if p.Name != syntax.Name.Name {
		diags.errorf(p.loader.position(syntax.Name.Pos()), "two packages in one directory: package %s, and %s in %s; move one of them",
			syntax.Name.Name, p.Name, p.Files[0].Name)
		return
	}
	file := newFile(p.loader.fset, name, syntax)
	p.forgetInnerComments(file)
	p.Files = append(p.Files, file)
}

// forgetInnerComments drops the comments inside of declarations, nearly half of the memory
// of API types. Those of a type remain, and those that may be a tag in a wrong place.
func (p *Package) forgetInnerComments(file *File) {
	kept := map[*ast.CommentGroup]bool{}
	for _, group := range file.outerComments() {
		kept[group] = true
	}
	for _, decl := range declarationsOf(p, []*File{file}) {
		comments := decl.comments()
		kept[comments.closest], kept[comments.second] = true, true
		if fields, ok := decl.spec.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				field.Doc, field.Comment = p.loader.kept(field.Doc), p.loader.kept(field.Comment)
			}
		}
	}
	unneeded := func(group *ast.CommentGroup) bool { return !kept[group] && !p.loader.rules.keeps(group) }
	file.Syntax.Comments = slices.DeleteFunc(file.Syntax.Comments, unneeded)
	maps.DeleteFunc(file.comments, func(_ int, group *ast.CommentGroup) bool { return unneeded(group) })
}

// kept returns the comment of a field if it is kept.
func (l *loader) kept(group *ast.CommentGroup) *ast.CommentGroup {
	if group == nil || !l.rules.keeps(group) {
		return nil
	}
	return group
}

func newFile(fset *token.FileSet, name string, syntax *ast.File) *File {
	file := &File{Name: name, Syntax: syntax, comments: make(map[int]*ast.CommentGroup, len(syntax.Comments))}
	for _, group := range syntax.Comments {
		file.comments[fset.PositionFor(group.End(), false).Line] = group
	}
	return file
}

// loadImport returns a package that others refer to, or nil if it can't be
// found or parsed: then the code that refers to it does not compile, or it does not
// matter here.
func (l *loader) loadImport(path, from string) *Package {
	if pkg, ok := l.packages[path]; ok {
		return pkg
	}
	l.packages[path] = nil
	if err := modpath.CheckImportPath(path); err != nil {
		return nil // the go command would take it for a pattern
	}
	dir, err := l.find(path, from)
	var pkg *Package
	if err == nil {
		var problems diagnostics
		pkg, err = l.parse(location{Path: path, Dir: dir, Named: true}, &problems)
		if err == nil && pkg.Name == "" { // perhaps all of it is generated
			pkg.index()
			pkg.parseDeferred()
		}
		if err == nil && pkg.Name == "" {
			err = cmp.Or(problems.err(), errors.New("no Go files in "+relative(l.dir, dir)))
		}
	}
	if err != nil {
		l.failed[path] = err
		l.log("not loaded  %s: %v", path, err)
		return nil
	}
	l.log("loaded      %s from %s, which an API type refers to", path, relative(l.dir, dir))
	l.packages[path] = pkg
	return pkg
}

// find returns the directory of a package that a package in from refers to.
func (l *loader) find(path, from string) (string, error) {
	if dir := l.mods.dir(path, from); dir != "" {
		return dir, nil
	}
	dirs, err := l.mods.list(l.ctx, l.dir, []string{path}, nil)
	if err == nil {
		return dirs[path], nil
	}
	// Perhaps the package that refers to it is in another module.
	if dirs, fromThere := l.mods.list(l.ctx, from, []string{path}, nil); fromThere == nil {
		return dirs[path], nil
	}
	return "", err
}

// nameOf returns the name in the package clause of a package that is not parsed,
// or "" if that can't be had cheaply.
func (l *loader) nameOf(path string) string {
	dir := l.mods.dir(path, l.dir)
	if dir == "" {
		return ""
	}
	names, _ := goFiles(dir) // no names, no name
	for _, name := range names {
		if syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.PackageClauseOnly); err == nil {
			return syntax.Name.Name
		}
	}
	return ""
}
