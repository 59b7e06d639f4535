package load

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// Function is a function or a method with the file that declares it.
type Function struct {
	pkg       *Package
	file      *File
	Name      *ast.Ident
	Signature *ast.FuncType
}

// In returns an expression of the function's file.
func (f Function) In(expr ast.Expr) Expression { return f.pkg.In(f.file, expr) }

// Position is where the function is declared.
func (f Function) Position() token.Position { return f.pkg.Loader.Position(f.Name.Pos()) }

// MethodSet are the methods of an interface with those that it embeds.
type MethodSet struct {
	Methods map[string]Function
	// Partial is true if something that it embeds was not found.
	Partial bool
}

// MethodSet returns the methods of an interface; it is partial for any other type.
func (d *Declaration) MethodSet() MethodSet { return d.methodsWithin(Visited{}) }

func (d *Declaration) methodsWithin(seen Visited) MethodSet {
	set := MethodSet{Methods: map[string]Function{}}
	body, ok := d.Unalias().Spec.Type.(*ast.InterfaceType)
	if !ok {
		set.Partial = true
	}
	if !ok || !seen.First(body) {
		return set
	}
	d = d.Unalias()
	for _, field := range body.Methods.List {
		if signature, ok := field.Type.(*ast.FuncType); ok {
			for _, name := range field.Names {
				set.Methods[name.Name] = Function{d.Pkg, d.File, name, signature}
			}
			continue
		}
		base, _ := d.In(field.Type).refer()
		if base == nil {
			set.Partial = true
			continue
		}
		embedded := base.methodsWithin(seen)
		maps.Copy(set.Methods, embedded.Methods)
		set.Partial = set.Partial || embedded.Partial
	}
	return set
}

// Result returns the declaration of the only result of a method, or nil.
func (f Function) Result() *Declaration {
	if f.Signature.Results.NumFields() != 1 {
		return nil
	}
	found, _ := f.In(f.Signature.Results.List[0].Type).refer()
	return found
}

// ParseTypes parses the types of a package without their comments, which are most of it.
// It returns nil if there is none, or one with a syntax error.
func (l *Loader) ParseTypes(path, dir string) *Package {
	names, err := GoFiles(dir)
	if err != nil {
		return nil
	}
	pkg := &Package{Path: path, Dir: dir, Files: make([]*File, len(names)), Loader: l}
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, name := range names {
		group.Go(func() error {
			file := filepath.Join(dir, name)
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			syntax, err := parser.ParseFile(l.fset, paths.Relative(l.Dir, file), upToLastType(source), parser.SkipObjectResolution)
			pkg.Files[i] = &File{Name: name, Syntax: syntax}
			return err
		})
	}
	if group.Wait() != nil || len(names) == 0 {
		return nil
	}
	pkg.Name = pkg.Files[0].Syntax.Name.Name
	return pkg
}

// upToLastType cuts off the functions that follow the last type of a formatted source.
func upToLastType(source []byte) []byte {
	last := max(0, bytes.LastIndex(source, []byte("\ntype ")))
	if end := bytes.Index(source[last:], []byte("\nfunc ")); end >= 0 {
		return source[:last+end+1]
	}
	return source
}

// MethodsOf returns the methods that the package declares of a type. Generated files are
// parsed for them only if one has a method that the rules name.
func (p *Package) MethodsOf(typ string) map[string]Function {
	if p.declared == nil {
		p.index()
		if p.getters {
			p.parseDeferred()
		}
		p.declared = map[string]map[string]Function{}
		for _, file := range p.Files {
			for _, decl := range file.Syntax.Decls {
				if decl, ok := decl.(*ast.FuncDecl); ok {
					p.declare(file, decl)
				}
			}
		}
	}
	return p.declared[typ]
}

func (p *Package) declare(file *File, decl *ast.FuncDecl) {
	receiver := ""
	if decl.Recv.NumFields() == 1 {
		receiver = BaseName(decl.Recv.List[0].Type)
	}
	if p.declared[receiver] == nil {
		p.declared[receiver] = map[string]Function{}
	}
	p.declared[receiver][decl.Name.Name] = Function{p, file, decl.Name, decl.Type}
}

// Functions are those that the package declares, without methods.
func (p *Package) Functions() map[string]Function {
	p.index()
	p.parseDeferred()
	return p.MethodsOf("")
}

var qualifier = regexp.MustCompile(`[\pL_][\pL_0-9]*\.`)

// addMethods notes the methods of a source that the loader knows of. It is scanned rather than
// parsed, since the methods of API types are most of their packages.
func (p *Package) addMethods(source []byte) {
	names := p.Loader.methods
	if !slices.ContainsFunc(names, func(name string) bool { return bytes.Contains(source, []byte(name)) }) {
		return
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)
	for tok := token.FUNC; tok != token.EOF; {
		if _, tok, _ = s.Scan(); tok != token.FUNC {
			continue
		}
		if receiver, method := scanMethod(&s); slices.Contains(names, method) {
			p.methods[receiver+"."+method] = true
		}
	}
}

// scanMethod reads what follows the word func of a method: its receiver's type and its name.
func scanMethod(s *scanner.Scanner) (receiver, method string) {
	if _, tok, _ := s.Scan(); tok != token.LPAREN {
		return "", "" // a function
	}
	named := false
	for open := 1; open > 0; {
		switch _, tok, text := s.Scan(); tok {
		case token.LPAREN:
			open++
		case token.RPAREN:
			open--
		case token.LBRACK: // of type parameters
			named = true
		case token.IDENT:
			if !named {
				receiver = text
			}
		case token.EOF:
			return "", ""
		}
	}
	_, _, method = s.Scan()
	if _, tok, _ := s.Scan(); tok != token.LPAREN {
		return "", "" // the type of a function
	}
	return receiver, method
}

// decodeMethods are those by which types decode themselves.
var decodeMethods = []string{"UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText"}

// DeclaresMethod reports whether the package has a method of a type, in any file but this
// tool's own, also one that was not parsed.
func (p *Package) DeclaresMethod(typ, method string) bool { return p.methods[typ+"."+method] }

// Text is the signature without the names of parameters and packages.
func (f Function) Text() string {
	list := func(fields *ast.FieldList) string {
		var texts []string
		for i := 0; fields != nil && i < len(fields.List); i++ {
			typ := f.In(fields.List[i].Type).Unalias()
			text := qualifier.ReplaceAllString(types.ExprString(typ.Expr), "")
			for range max(1, len(fields.List[i].Names)) {
				texts = append(texts, text)
			}
		}
		return strings.Join(texts, ", ")
	}
	results := list(f.Signature.Results)
	if f.Signature.Results.NumFields() > 1 {
		results = "(" + results + ")"
	}
	return strings.TrimSpace("(" + list(f.Signature.Params) + ") " + results)
}
