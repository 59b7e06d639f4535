package generators

import (
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// checkHandWritten reports what generated listers need of the hand-written files beside them:
// the interfaces of expansions, and that they have no methods of indexes.
func (r *run) checkHandWritten(diags *diag.List) {
	if r.options.SkipListers {
		return
	}
	r.model.Kinds(func(group *collect.Group, version *collect.Version, kind *collect.Kind) {
		dir := r.to.listers.join(strings.ToLower(group.Dir), version.Dir).dir
		expansion := filepath.Join(dir, expansionFile(kind))
		if !kind.HasLister || len(kind.Indexes) == 0 && !paths.Exists(expansion) {
			return
		}
		written := r.loader.HandWritten(dir, nil)
		if paths.Exists(expansion) {
			checkExpansion(kind, paths.Relative(r.options.Dir, expansion), written, diags)
		}
		checkIndexMethods(kind, written, diags)
	})
}

// expansionFile is the hand-written file that takes the place of a lister's empty interfaces.
func expansionFile(kind *collect.Kind) string { return strings.ToLower(kind.Ident) + "_expansion.go" }

// checkExpansion reports the interfaces that a lister embeds and that nothing declares.
func checkExpansion(k *collect.Kind, file string, written load.Scope, diags *diag.List) {
	interfaces := []string{k.Ident + "ListerExpansion"}
	if k.Namespaced {
		interfaces = append(interfaces, k.Ident+"NamespaceListerExpansion")
	}
	for _, name := range interfaces {
		if _, ok := written.Declared[name]; !ok {
			diags.Errorf(token.Position{Filename: file}, "expansion: %s is not declared, though the file takes the place of it; declare that interface, or rename the file", name)
		}
	}
}

// checkIndexMethods reports the indexes whose methods a lister has already.
func checkIndexMethods(k *collect.Kind, written load.Scope, diags *diag.List) {
	for _, x := range k.Indexes {
		for _, method := range x.Methods() {
			for _, lister := range []string{k.Private + "Lister", k.Private + "NamespaceLister"} {
				if pos, ok := written.Declared[lister+"."+method]; ok {
					diags.Errorf(x.Pos, "+%s: %s is a method that was written by hand at %s; remove it, or name another: +%s=By…", collect.IndexTag, method, pos, collect.IndexTag)
				}
			}
		}
	}
}

// checkBeside reports the names that a generated file has as well as a hand-written one of
// its package.
func (r *run) checkBeside(files []output.Rendered, diags *diag.List) error {
	ours := map[string]bool{}
	for _, file := range files {
		ours[file.Path] = true
	}
	written := map[string]load.Scope{}
	for _, file := range files {
		dir := filepath.Dir(file.Path)
		beside, ok := written[dir]
		if !ok && filepath.Base(file.Path) != collect.CopiesFile { // which is among API types, and has methods that they lack
			beside = r.loader.HandWritten(dir, ours)
			written[dir] = beside
		}
		if len(beside.Declared)+len(beside.Imported) == 0 {
			continue
		}
		content := file.Content
		if file.Same {
			var err error
			if content, err = os.ReadFile(file.Path); err != nil {
				return err
			}
		}
		generated := load.NewScope()
		generated.Add("", content)
		compareScopes(generated, beside, filepath.Base(file.Path), diags)
	}
	return nil
}

// compareScopes reports the names that files of one package can't both have.
func compareScopes(generated, beside load.Scope, name string, diags *diag.List) {
	const remedy = "; rename it, or move it to another package"
	for declared := range generated.Declared {
		if pos, ok := beside.Declared[declared]; ok {
			diags.Errorf(pos, "output: %s is declared here and in %s, which is generated beside it%s", declared, name, remedy)
		}
		if pos, ok := beside.Imported[declared]; ok {
			diags.Errorf(pos, "output: %s is imported here and declared in %s, which is generated beside it%s", declared, name, remedy)
		}
	}
	for imported := range generated.Imported {
		if pos, ok := beside.Declared[imported]; ok {
			diags.Errorf(pos, "output: %s is declared here and imported in %s, which is generated beside it%s", imported, name, remedy)
		}
	}
}
