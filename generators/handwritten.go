package generators

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// checkHandWritten reports what generated listers need of the hand-written files beside them:
// the interfaces of expansions, and that they have no methods of indexes.
func checkHandWritten(options *Options, loader *loader, model *Model, to targets, diags *diagnostics) {
	if options.SkipListers {
		return
	}
	model.kinds(func(group *Group, version *Version, kind *Kind) {
		dir := to.listers.join(strings.ToLower(group.Dir), version.Dir).dir
		expansion := filepath.Join(dir, expansionFile(kind))
		if !kind.Lister || len(kind.Indexes) == 0 && !exists(expansion) {
			return
		}
		written := loader.handWritten(dir, nil)
		if exists(expansion) {
			kind.checkExpansion(relative(options.Dir, expansion), written, diags)
		}
		kind.checkIndexMethods(written, diags)
	})
}

// expansionFile is the hand-written file that takes the place of a lister's empty interfaces.
func expansionFile(kind *Kind) string { return strings.ToLower(kind.Ident) + "_expansion.go" }

// checkExpansion reports the interfaces that a lister embeds and that nothing declares.
func (k *Kind) checkExpansion(file string, written scope, diags *diagnostics) {
	interfaces := []string{k.Ident + "ListerExpansion"}
	if k.Namespaced {
		interfaces = append(interfaces, k.Ident+"NamespaceListerExpansion")
	}
	for _, name := range interfaces {
		if _, ok := written.declared[name]; !ok {
			diags.errorf(token.Position{Filename: file}, "expansion: %s is not declared, though the file takes the place of it; declare that interface, or rename the file", name)
		}
	}
}

// checkIndexMethods reports the indexes whose methods a lister has already.
func (k *Kind) checkIndexMethods(written scope, diags *diagnostics) {
	for _, x := range k.Indexes {
		for _, method := range x.methods() {
			for _, lister := range []string{k.Private + "Lister", k.Private + "NamespaceLister"} {
				if pos, ok := written.declared[lister+"."+method]; ok {
					diags.errorf(x.Pos, "+%s: %s is a method that was written by hand at %s; remove it, or name another: +%s=By…", indexTag, method, pos, indexTag)
				}
			}
		}
	}
}

// checkBeside reports the names that a generated file has as well as a hand-written one of
// its package.
func (l *loader) checkBeside(files []rendered, diags *diagnostics) error {
	ours := map[string]bool{}
	for _, file := range files {
		ours[file.path] = true
	}
	written := map[string]scope{}
	for _, file := range files {
		dir := filepath.Dir(file.path)
		beside, ok := written[dir]
		if !ok && filepath.Base(file.path) != copiesFile { // which is among API types, and has methods that they lack
			beside = l.handWritten(dir, ours)
			written[dir] = beside
		}
		if len(beside.declared)+len(beside.imported) == 0 {
			continue
		}
		content := file.content
		if file.same {
			var err error
			if content, err = os.ReadFile(file.path); err != nil {
				return err
			}
		}
		generated := newScope()
		generated.add("", content)
		generated.compare(beside, filepath.Base(file.path), diags)
	}
	return nil
}

// compare reports the names that files of one package can't both have.
func (s scope) compare(beside scope, name string, diags *diagnostics) {
	const remedy = "; rename it, or move it to another package"
	for declared := range s.declared {
		if pos, ok := beside.declared[declared]; ok {
			diags.errorf(pos, "output: %s is declared here and in %s, which is generated beside it%s", declared, name, remedy)
		}
		if pos, ok := beside.imported[declared]; ok {
			diags.errorf(pos, "output: %s is imported here and declared in %s, which is generated beside it%s", declared, name, remedy)
		}
	}
	for imported := range s.imported {
		if pos, ok := beside.declared[imported]; ok {
			diags.errorf(pos, "output: %s is declared here and imported in %s, which is generated beside it%s", imported, name, remedy)
		}
	}
}

// scope has the names that files of a package declare, methods as "Type.Method", and what they import.
type scope struct{ declared, imported map[string]token.Position }

func newScope() scope {
	return scope{declared: map[string]token.Position{}, imported: map[string]token.Position{}}
}

// handWritten reads the files of a directory that are built and neither this tool's nor among
// some. There are none if there is no directory.
func (l *loader) handWritten(dir string, ours map[string]bool) scope {
	found := newScope()
	names, _ := goFiles(dir)
	for _, name := range names {
		file := filepath.Join(dir, name)
		if ours[file] {
			continue
		}
		source, err := os.ReadFile(file)
		if err == nil && !hasHeader(source) && l.included(dir, name, source) {
			found.add(relative(l.dir, file), source)
		}
	}
	return found
}

// add adds the names of a source, as far as it has no syntax error.
func (s scope) add(name string, source []byte) {
	fset := token.NewFileSet()
	syntax, _ := parser.ParseFile(fset, name, source, parser.SkipObjectResolution)
	if syntax == nil {
		return
	}
	at := func(pos token.Pos) token.Position { return fset.PositionFor(pos, false) }
	for _, spec := range syntax.Imports {
		s.imported[importName(spec)] = at(spec.Pos())
	}
	for _, decl := range syntax.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			key := decl.Name.Name
			if decl.Recv.NumFields() == 1 {
				key = baseName(decl.Recv.List[0].Type) + "." + key
			}
			s.declared[key] = at(decl.Name.Pos())
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				for _, name := range namesOf(spec) {
					s.declared[name.Name] = at(name.Pos())
				}
			}
		}
	}
	delete(s.declared, "init") // of which there may be several
	for _, name := range []string{"_", "."} {
		delete(s.declared, name)
		delete(s.imported, name)
	}
}

// namesOf are those that a type, constants or variables are declared by.
func namesOf(spec ast.Spec) []*ast.Ident {
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		return []*ast.Ident{spec.Name}
	case *ast.ValueSpec:
		return spec.Names
	}
	return nil
}
