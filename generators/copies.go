package generators

import (
	"go/ast"

	"github.com/informer-gen/informer-gen/templates"
)

// copiesFile is the file beside slim types that makes API objects of them.
const copiesFile = "zz_generated.slim.go"

// Copies are the methods that the slim types of a package lack to be API objects.
type Copies struct {
	// PackageName is the name of the package.
	PackageName string
	// Types are sorted by name. There are none if the methods can't be worked out.
	Types []templates.DeepCopy

	dir      string // of the package
	reserved map[string]bool
}

// copySlims adds the methods of the slim types of a package. They do not depend on the
// options, so that runs for several factories agree: those of a type that the options
// exclude are among them.
func (c *collector) copySlims(pkg *Package) {
	slims := c.slims
	c.slims = nil
	if len(slims) == 0 {
		return
	}
	found := &Copies{PackageName: pkg.Name, dir: pkg.Dir, reserved: pkg.names()}
	c.copies = append(c.copies, found)
	copier := &copier{pkg: pkg, objects: map[string]bool{}, plain: map[string]bool{}, open: map[string]bool{}, steps: map[string][]templates.CopyStep{}}
	for _, slim := range slims {
		if _, ok := slim.spec.Type.(*ast.StructType); !ok || slim.spec.TypeParams != nil {
			copier.failed = true // which is reported
			continue
		}
		if copier.diags = c.diags; slim.quiet {
			copier.diags = new(diagnostics)
		}
		copier.objects[slim.spec.Name.Name] = true
		copier.ofStruct(slim.declaration)
	}
	if !copier.failed {
		found.Types = copier.types()
	}
}

// names are those that a package declares, and that no import may have therefore.
func (p *Package) names() map[string]bool {
	names := map[string]bool{}
	p.index()
	p.parseDeferred()
	for name := range p.types {
		names[name] = true
	}
	for _, file := range p.Files {
		for _, decl := range file.Syntax.Decls {
			switch decl := decl.(type) {
			case *ast.FuncDecl:
				names[decl.Name.Name] = true // a method's hurts nobody
			case *ast.GenDecl:
				for _, spec := range decl.Specs {
					for _, name := range namesOf(spec) {
						names[name.Name] = true
					}
				}
			}
		}
	}
	return names
}
