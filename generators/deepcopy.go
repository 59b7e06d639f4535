package generators

import (
	"bytes"
	"go/scanner"
	"go/token"
	"iter"
	"path/filepath"
	"slices"
	"strings"
)

// declaredMethods are the types that a source declares one of some methods for, with the
// method. Sources are scanned rather than parsed, since the methods of API types are most of
// their packages.
func declaredMethods(source []byte, methods ...string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		if !slices.ContainsFunc(methods, func(method string) bool { return bytes.Contains(source, []byte(method)) }) {
			return
		}
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile("", -1, len(source)), source, nil, 0)
		for tok := token.FUNC; tok != token.EOF; {
			if _, tok, _ = s.Scan(); tok != token.FUNC {
				continue
			}
			if receiver, method := scanMethod(&s); slices.Contains(methods, method) && !yield(receiver, method) {
				return
			}
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

// The methods that declaresMethod knows of: those of deep copies, and those by which types
// decode themselves.
var (
	copyMethods   = []string{"DeepCopyInto", "DeepCopy", "DeepCopyObject"}
	decodeMethods = []string{"UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText"}
)

// declaresMethod reports whether the package has a method of a type, in any file but this
// tool's own. All files are searched for the methods when the first one is asked for.
func (p *Package) declaresMethod(typ, method string) bool {
	if p.methods == nil {
		p.methods = map[string]bool{}
		names, _ := goFiles(p.Dir) // no files, no methods
		buffer := buffers.Get().(*bytes.Buffer)
		defer buffers.Put(buffer)
		for _, name := range names {
			buffer.Reset()
			err := readInto(buffer, filepath.Join(p.Dir, name))
			if source := buffer.Bytes(); err == nil && !p.loader.rules.ours(source) && p.loader.included(p.Dir, name, source) {
				for receiver, method := range declaredMethods(source, p.loader.rules.methods...) {
					p.methods[receiver+"."+method] = true
				}
			}
		}
	}
	return p.methods[typ+"."+method]
}

// copies reports whether a type has the method DeepCopyObject, of its own or of
// what it embeds.
func (d *declaration) copies() bool {
	found, _ := d.members()
	return len(found["DeepCopyObject"]) > 0
}

// uncopied is a kind without DeepCopyObject.
type uncopied struct {
	name string
	root bool
	pos  token.Position
}

// reportUncopied reports the kinds of a package that lack DeepCopyObject, without which
// the output does not compile. For root types that is an error; client-gen's
// scripts may well make it after this run.
func (c *collector) reportUncopied(pkg *Package, own packageMarkers) {
	for _, root := range []bool{true, false} {
		var names []string
		var first token.Position
		for _, kind := range slices.Backward(c.uncopied) {
			if kind.root == root {
				names, first = append(names, kind.name), kind.pos
			}
		}
		slices.Reverse(names)
		text := strings.Join(names, ", ") + ": no method DeepCopyObject"
		dir := filepath.ToSlash(relative(pkg.loader.dir, pkg.Dir))
		if filepath.IsLocal(dir) {
			dir = "./" + strings.TrimPrefix(dir, "./")
		}
		command := "controller-gen object paths=" + dir
		if !root || own.deepCopyGen {
			command = "deepcopy-gen"
		}
		switch {
		case len(names) == 0:
		case root:
			c.diags.errorf(first, "kind: %s; run %s first, which writes it, or leave out types with --exclude", text, command)
		default:
			c.diags.warnf(first, "kind: %s; the output compiles when %s has written it", text, command)
		}
	}
	c.uncopied = nil
}
