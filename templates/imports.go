package templates

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/scanner"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// imports collects what one file imports, and gives each package a name that is unique in the file.
type imports struct {
	names map[string]string // import path → name in this file
	known map[string]string // import path → name in the package clause, if known
	used  map[string]bool   // the names in this file
	given map[string]bool   // the used names that add has returned

	reserved map[string]bool // the names that no import may have
	// written holds the imports that the template itself declares: their names in the file, by import path.
	written map[string]string
}

func newImports(reserved map[string]bool, written map[string]string) *imports {
	s := &imports{names: map[string]string{}, known: map[string]string{}, used: map[string]bool{}, given: map[string]bool{}, reserved: reserved, written: written}
	for _, name := range written {
		s.used[name] = true
	}
	return s
}

// importsIn returns the imports that a body declares itself: their names in the file, by import path.
func importsIn(body []byte) map[string]string {
	written := map[string]string{}
	if !bytes.Contains(body, []byte("import")) {
		return written
	}
	syntax, _ := parser.ParseFile(token.NewFileSet(), "", slices.Concat([]byte("package p;"), body), parser.ImportsOnly)
	for _, spec := range syntax.Imports {
		path, err := strconv.Unquote(spec.Path.Value)
		switch {
		case err != nil:
		case spec.Name == nil:
			written[path] = assumedName(path)
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			written[path] = spec.Name.Name
		}
	}
	return written
}

// free reports whether an import may get a name. No import can be named init.
func (s *imports) free(name string) bool {
	return !s.used[name] && !s.reserved[name] && name != "init" && token.IsIdentifier(name)
}

// add returns the name of the package in this file. The first of several packages of the same name gets it;
// the others get a name with more of their path.
func (s *imports) add(imp Import) string {
	if name, ok := s.names[imp.Path]; ok {
		return name
	}
	if name, ok := s.written[imp.Path]; ok {
		return name
	}
	names := aliases(imp)
	at := slices.IndexFunc(names, s.free)
	for n := 2; at < 0; n++ {
		names = []string{fmt.Sprintf("pkg%d", n)}
		at = slices.IndexFunc(names, s.free)
	}
	name := names[at]
	s.used[name], s.given[name] = true, true
	s.names[imp.Path], s.known[imp.Path] = name, imp.Name
	return name
}

// aliases lists the names that a package may get, best first: its own name, then its own name with ever
// more of the path before it.
func aliases(imp Import) []string {
	name := imp.Name
	if name == "" {
		name = identifier(assumedName(imp.Path))
	}
	names := []string{name}
	prefix := ""
	for _, element := range slices.Backward(strings.Split(path.Dir(imp.Path), "/")) {
		if !slices.Contains([]string{".", "api", "apis", "pkg"}, element) {
			prefix = identifier(element) + prefix
			names = append(names, prefix+name)
		}
	}
	return names
}

// identifier keeps the letters and digits of a path element, in lower case.
func identifier(element string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, element)
}

// clashes returns the names of imports that the file also uses for something else, such as a variable,
// which would hide the import.
func (s *imports) clashes(body []byte) []string {
	var found []string
	var scan scanner.Scanner
	scan.Init(token.NewFileSet().AddFile("", -1, len(body)), body, func(token.Position, string) {}, 0)
	before, name := token.ILLEGAL, "" // name is the name of an import just before the next token, or ""
	for {
		_, tok, text := scan.Scan()
		if name != "" && tok != token.PERIOD && !slices.Contains(found, name) {
			found = append(found, name)
		}
		if name = ""; tok == token.IDENT && before != token.PERIOD && s.given[text] {
			name = text
		}
		if before = tok; tok == token.EOF {
			return found
		}
	}
}

// declaration returns the import declaration: the standard library first, then the other packages, each
// sorted by path. An import is named if its name differs from the package's own, or from the one that
// goimports would assume and then add.
func (s *imports) declaration() string {
	if len(s.names) == 0 {
		return ""
	}
	var std, others []string
	for path := range s.names {
		if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
			others = append(others, path)
		} else {
			std = append(std, path)
		}
	}
	var b strings.Builder
	b.WriteString("import (\n")
	for i, group := range [][]string{std, others} {
		if i == 1 && len(std) > 0 && len(others) > 0 {
			b.WriteString("\n")
		}
		slices.Sort(group)
		for _, path := range group {
			b.WriteString("\t")
			if name := s.names[path]; name != s.known[path] || name != assumedName(path) {
				b.WriteString(name + " ")
			}
			b.WriteString(strconv.Quote(path) + "\n")
		}
	}
	b.WriteString(")\n")
	return b.String()
}

// assumedName returns the name that goimports assumes for an import path. For example.com/shop/v2 it is
// shop, whatever the package clause says.
func assumedName(importPath string) string {
	base := path.Base(importPath)
	if number, ok := strings.CutPrefix(base, "v"); ok {
		if _, err := strconv.Atoi(number); err == nil && path.Dir(importPath) != "." {
			base = path.Base(path.Dir(importPath))
		}
	}
	base = strings.TrimPrefix(base, "go-")
	if i := strings.IndexFunc(base, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }); i >= 0 {
		base = base[:i]
	}
	return base
}
