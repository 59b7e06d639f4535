package generators

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
)

// checkHandWritten reports the indexes whose methods a hand-written file beside the listers
// has already.
func checkHandWritten(options *Options, model *Model, to targets, diags *diagnostics) {
	if options.SkipListers {
		return
	}
	model.kinds(func(group *Group, version *Version, kind *Kind) {
		if !kind.Lister || len(kind.Indexes) == 0 {
			return
		}
		methods := methodsIn(options.Dir, to.listers.join(strings.ToLower(group.Dir), version.Dir).dir)
		for _, x := range kind.Indexes {
			for _, method := range x.methods() {
				for _, lister := range []string{kind.Private + "Lister", kind.Private + "NamespaceLister"} {
					if pos, ok := methods[lister+"."+method]; ok {
						diags.errorf(x.Pos, "+%s: %s is a method that was written by hand at %s; remove it, or name another: +%s=By…", indexTag, method, pos, indexTag)
					}
				}
			}
		}
	})
}

// methodsIn returns where the methods in the files of a directory are declared, by
// "Type.Method", without those in generated files of this tool.
func methodsIn(base, dir string) map[string]token.Position {
	found := map[string]token.Position{}
	names, _ := goFiles(dir) // no directory, no methods
	for _, name := range names {
		source, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || hasHeader(source) {
			continue
		}
		fset := token.NewFileSet()
		syntax, _ := parser.ParseFile(fset, relative(base, filepath.Join(dir, name)), source, parser.SkipObjectResolution)
		if syntax == nil {
			continue
		}
		for _, decl := range syntax.Decls {
			if method, ok := decl.(*ast.FuncDecl); ok && method.Recv.NumFields() == 1 {
				found[baseName(method.Recv.List[0].Type)+"."+method.Name.Name] = fset.PositionFor(method.Name.Pos(), false)
			}
		}
	}
	return found
}
