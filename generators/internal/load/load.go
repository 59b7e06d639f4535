// Package load parses the packages that patterns name, and answers questions about their
// declarations: what a name refers to, which fields and methods a type has, what a constant is.
// Packages that others refer to are found through go.mod or the go command, and parsed when
// they are first needed.
//
// It knows syntax only. What matters in sources, so that the rest need not be parsed or kept, is
// said by Rules; nothing here is about Kubernetes, and nothing is type-checked.
package load

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
	"runtime"
	"slices"
	"sync"

	modpath "golang.org/x/mod/module"
	"golang.org/x/sync/errgroup"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// Package is a Go package as far as it was parsed.
type Package struct {
	// Path, Name and Dir are its import path, the name in its package clause
	// and its absolute directory.
	Path, Name, Dir string
	// Files are sorted by name. Generated files without a marker are not among
	// them until something is looked up that the others don't declare.
	Files []*File

	// Unbuilt are files with a sign of what is looked for that the go command would leave out.
	Unbuilt []*File
	// Mentions has the words of the rules that the sources have.
	Mentions map[string]bool
	// Loader is that which has parsed the package.
	Loader *Loader

	deferred []string
	getters  bool                           // a deferred file may have methods that matter
	declared map[string]map[string]Function // by receiver and name, once MethodsOf has looked
	methods  map[string]bool                // Type.Method, of those that DeclaresMethod knows
	lookup   sync.Once
	types    map[string]*Declaration
	values   []Value
}

// Rules say what in sources matters, so that the rest need not be parsed or kept.
type Rules struct {
	// Ours reports whether a source was written by an earlier run; it is left out.
	Ours func(source []byte) bool
	// Sign reports whether a source has a sign of what is looked for, and MayDeclare whether
	// it may declare that: a package that only a pattern with ... matches is parsed for it.
	Sign, MayDeclare func(source []byte) bool
	// Defers reports whether a source is parsed only when something is looked up that the
	// others don't declare.
	Defers func(source []byte) bool
	// HasMethod reports whether a source that is deferred declares a method that matters, and
	// Methods are the names that DeclaresMethod knows of, beside those by which types decode
	// themselves.
	HasMethod func(source []byte) bool
	Methods   []string
	// Words are searched for in packages.
	Words []string
	// Keeps reports whether a comment inside of a declaration is kept.
	Keeps func(*ast.CommentGroup) bool
	// Opaque is the import path of a package whose types are known by their names. Known has the types whose
	// embedded fields are known also in other packages.
	Opaque string
	Known  []string
}

// File is a parsed file.
type File struct {
	// Name is the name without its directory.
	Name string
	// Syntax is the file with its comments but those that forgetInnerComments drops.
	Syntax *ast.File

	comments map[int]*ast.CommentGroup // by the line they end on
}

// Loader parses packages. Its methods are not safe for concurrent use; it uses
// several goroutines itself.
type Loader struct {
	// Ctx is the context of the run, and Dir the working directory.
	Ctx context.Context
	Dir string
	// Mods finds modules.
	Mods *Modules
	// Failed says why packages can't be had, by import path.
	Failed map[string]error
	// Looked has the packages that the patterns name, by import path, and Read the directories
	// of those that are not excluded.
	Looked map[string]bool
	Read   []string
	// OtherModules are the directories of the modules below the patterns that have none of
	// the packages.
	OtherModules []string
	// Log gets a line for each package.
	Log func(format string, args ...any)

	fset     *token.FileSet
	build    build.Context
	packages map[string]*Package // by import path; nil if it can't be had
	rules    Rules
	methods  []string // that DeclaresMethod knows of
	// buffers are for sources that are not kept, as the generated ones, which are most of them.
	buffers sync.Pool
}

// New returns a loader for a run in a working directory. Notice gets the downloads of the go command,
// and may be nil; log gets a line for each package.
func New(ctx context.Context, dir string, rules Rules, notice func(line string), log func(format string, args ...any)) *Loader {
	return &Loader{
		Ctx: ctx, Dir: dir, Mods: &Modules{notice: notice}, Failed: map[string]error{}, Looked: map[string]bool{}, Log: log,
		fset: token.NewFileSet(), build: buildContext(), packages: map[string]*Package{},
		rules: rules, methods: slices.Concat(rules.Methods, decodeMethods),
	}
}

// Forget lets go of the syntax trees, most of the memory.
func (l *Loader) Forget() { l.packages = map[string]*Package{} }

// Position returns where pos is in its file, whatever a //line comment says,
// with the path relative to the working directory.
func (l *Loader) Position(pos token.Pos) token.Position { return l.fset.PositionFor(pos, false) }

// Load parses the packages of patterns, sorted by import path. Syntax errors
// are added to the diagnostics. Where the packages in also are is found out by
// the way, if that costs nothing. Packages that are excluded are not looked into.
func (l *Loader) Load(patterns, also []string, excluded func(dir, path string) bool, diags *diag.List) ([]*Package, error) {
	found, err := locate(l.Ctx, l.Dir, patterns, also, l.Mods)
	if err != nil {
		return nil, err
	}
	locations := found.sorted()
	for _, location := range locations {
		l.Looked[location.Path] = true
	}
	locations = slices.DeleteFunc(locations, func(at location) bool { return excluded(at.Dir, at.Path) })
	for _, location := range locations {
		l.Read = append(l.Read, location.Dir)
	}
	l.OtherModules = found.otherModules()
	packages := make([]*Package, len(locations))
	problems := make([]diag.List, len(locations))
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, location := range locations {
		group.Go(func() (err error) {
			packages[i], err = l.parse(location, &problems[i])
			return errors.Join(err, l.Ctx.Err())
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i := range problems {
		diags.Errors = append(diags.Errors, problems[i].Errors...)
	}
	packages = slices.DeleteFunc(packages, func(p *Package) bool { return p == nil })
	for _, pkg := range packages {
		l.packages[pkg.Path] = pkg
		l.Log("loaded      %s from %s: %s", pkg.Path, paths.Relative(l.Dir, pkg.Dir), diag.Count(len(pkg.Files), "file"))
	}
	return packages, nil
}

// parallel limits how many files are parsed at the same time.
var parallel = runtime.GOMAXPROCS(0)

// parse parses one package. It returns nil for one that only a pattern with ...
// matched and that declares nothing of interest.
func (l *Loader) parse(at location, diags *diag.List) (*Package, error) {
	names, err := GoFiles(at.Dir)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", at.Path, err)
	}
	pkg := &Package{Path: at.Path, Dir: at.Dir, Loader: l, Mentions: map[string]bool{}, methods: map[string]bool{}}
	sources, unbuilt := map[string][]byte{}, map[string][]byte{}
	interesting := at.Named
	buffer, _ := l.buffers.Get().(*bytes.Buffer)
	for _, name := range names {
		buffer = cmp.Or(buffer, new(bytes.Buffer))
		if err := readInto(buffer, filepath.Join(at.Dir, name)); err != nil {
			return nil, fmt.Errorf("package %s: %w", at.Path, err)
		}
		switch source := buffer.Bytes(); {
		case l.rules.Ours(source):
		case !l.Included(at.Dir, name, source):
			if l.rules.Sign(source) {
				unbuilt[name], interesting, buffer = source, true, nil
			}
		case l.rules.Defers(source):
			pkg.deferred = append(pkg.deferred, filepath.Join(at.Dir, name))
			pkg.getters = pkg.getters || l.rules.HasMethod(source)
			pkg.addMethods(source)
		default:
			interesting = interesting || l.rules.MayDeclare(source)
			for _, word := range l.rules.Words {
				pkg.Mentions[word] = pkg.Mentions[word] || bytes.Contains(source, []byte(word))
			}
			pkg.addMethods(source)
			sources[name], buffer = source, nil
		}
	}
	l.buffers.Put(buffer)
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

// readInto reads a file into a buffer, in place of what is there.
func readInto(buffer *bytes.Buffer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // which was only read
	buffer.Reset()
	if info, err := file.Stat(); err == nil {
		buffer.Grow(int(info.Size()) + bytes.MinRead)
	}
	_, err = buffer.ReadFrom(file)
	return err
}

// parseUnbuilt parses a file that the go command would leave out, to report the types in
// it as skipped. One with a syntax error is ignored.
func (p *Package) parseUnbuilt(name string, source []byte) {
	aside := &Package{Path: p.Path, Dir: p.Dir, Name: p.Name, Loader: p.Loader}
	aside.parseFile(name, source, new(diag.List))
	p.Unbuilt = append(p.Unbuilt, aside.Files...)
}

func (p *Package) parseFile(name string, source []byte, diags *diag.List) {
	shown := paths.Relative(p.Loader.Dir, filepath.Join(p.Dir, name))
	if bytes.Contains(source, []byte("\r\n")) { // which the parser leaves out of comments, so that places in them would be wrong
		source = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
	}
	syntax, err := parser.ParseFile(p.Loader.fset, shown, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
			file := p.Loader.fset.File(syntax.FileStart)
			for _, e := range list {
				diags.Errorf(p.Loader.Position(file.Pos(e.Pos.Offset)), "syntax error: %s", diag.Short(e.Msg))
			}
		} else {
			diags.Errorf(token.Position{Filename: shown}, "syntax error: %v", err)
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
		diags.Errorf(p.Loader.Position(syntax.Name.Pos()), "two packages in one directory: package %s, and %s in %s; move one of them",
			syntax.Name.Name, p.Name, p.Files[0].Name)
		return
	}
	file := newFile(p.Loader.fset, name, syntax)
	p.forgetInnerComments(file)
	p.Files = append(p.Files, file)
}

// forgetInnerComments drops the comments inside of declarations, nearly half of the memory
// of API types. Those of a type remain, and those that may be a tag in a wrong place.
func (p *Package) forgetInnerComments(file *File) {
	kept := map[*ast.CommentGroup]bool{}
	for _, group := range file.OuterComments() {
		kept[group] = true
	}
	for _, decl := range DeclarationsOf(p, []*File{file}) {
		comments := decl.Comments()
		kept[comments.Closest], kept[comments.Second] = true, true
		if fields, ok := decl.Spec.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				field.Doc, field.Comment = p.Loader.kept(field.Doc), p.Loader.kept(field.Comment)
			}
		}
	}
	unneeded := func(group *ast.CommentGroup) bool { return !kept[group] && !p.Loader.rules.Keeps(group) }
	file.Syntax.Comments = slices.DeleteFunc(file.Syntax.Comments, unneeded)
	maps.DeleteFunc(file.comments, func(_ int, group *ast.CommentGroup) bool { return unneeded(group) })
}

// kept returns the comment of a field if it is kept.
func (l *Loader) kept(group *ast.CommentGroup) *ast.CommentGroup {
	if group == nil || !l.rules.Keeps(group) {
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

// LoadImport returns a package that others refer to, or nil if it can't be
// found or parsed: then the code that refers to it does not compile, or it does not
// matter here.
func (l *Loader) LoadImport(path, from string) *Package {
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
		var problems diag.List
		pkg, err = l.parse(location{Path: path, Dir: dir, Named: true}, &problems)
		if err == nil && pkg.Name == "" { // perhaps all of it is generated
			pkg.index()
			pkg.parseDeferred()
		}
		if err == nil && pkg.Name == "" {
			err = cmp.Or(problems.Err(), errors.New("no Go files in "+paths.Relative(l.Dir, dir)))
		}
	}
	if err != nil {
		l.Failed[path] = err
		l.Log("not loaded  %s: %v", path, err)
		return nil
	}
	l.Log("loaded      %s from %s, which an API type refers to", path, paths.Relative(l.Dir, dir))
	l.packages[path] = pkg
	return pkg
}

// find returns the directory of a package that a package in from refers to.
func (l *Loader) find(path, from string) (string, error) {
	if dir := l.Mods.Dir(path, from); dir != "" {
		return dir, nil
	}
	dirs, err := l.Mods.list(l.Ctx, l.Dir, []string{path}, nil)
	if err == nil {
		return dirs[path], nil
	}
	// Perhaps the package that refers to it is in another module.
	if dirs, fromThere := l.Mods.list(l.Ctx, from, []string{path}, nil); fromThere == nil {
		return dirs[path], nil
	}
	return "", err
}

// NameOf returns the name in the package clause of a package that is not parsed,
// or "" if that can't be had cheaply.
func (l *Loader) NameOf(path string) string {
	dir := l.Mods.Dir(path, l.Dir)
	if dir == "" {
		return ""
	}
	names, _ := GoFiles(dir) // no names, no name
	for _, name := range names {
		if syntax, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.PackageClauseOnly); err == nil {
			return syntax.Name.Name
		}
	}
	return ""
}
