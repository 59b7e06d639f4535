package generators

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// checkHandWritten reports what generated listers need of the hand-written files beside them:
// the interfaces of expansions, and that they have no methods of indexes.
func (r *run) checkHandWritten(diags *diag.List) {
	if r.options.SkipListers {
		return
	}
	for _, kind := range r.model.Kinds() {
		if !kind.HasLister || len(kind.Indexes) == 0 && !kind.HasExpansion {
			continue
		}
		expansion := r.expansionFile(kind)
		written := r.loader.HandWritten(filepath.Dir(expansion), nil)
		if kind.HasExpansion {
			checkExpansion(kind, paths.Relative(r.options.Dir, expansion), written, diags)
		}
		checkIndexMethods(kind, written, diags)
	}
}

// expansionFile is the hand-written file that takes the place of a lister's empty interfaces.
func (r *run) expansionFile(kind *collect.Kind) string {
	return filepath.Join(r.to.base().join(kind.Version.Listers().Dir).dir, strings.ToLower(kind.Ident)+"_expansion.go")
}

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
// its package, or another generated one, if templates of users have files there.
func (r *run) checkBeside(files []output.Rendered, diags *diag.List) {
	ours, users := map[string]bool{}, map[string]bool{}
	for _, file := range files {
		ours[file.Path] = true
		users[filepath.Dir(file.Path)] = users[filepath.Dir(file.Path)] || file.Users
	}
	written := map[string]load.Scope{}
	for _, file := range files {
		dir := filepath.Dir(file.Path)
		beside, ok := written[dir]
		if !ok && (file.Template != templates.DeepCopies || users[dir]) { // which is among API types, and has methods that they lack
			beside = r.loader.HandWritten(dir, ours)
			written[dir] = beside
		}
		if file.Data.Package == "" || strings.HasSuffix(file.Path, "_test.go") || !users[dir] && len(beside.Declared)+len(beside.Imported) == 0 {
			continue
		}
		generated := load.NewScope()
		generated.Add(paths.Relative(r.options.Dir, file.Path), file.Content)
		compareScopes(generated, beside, file, diags)
		if users[dir] {
			maps.Copy(beside.Declared, generated.Declared)
			maps.Copy(beside.Imported, generated.Imported)
		}
	}
}

// compareScopes reports the names that files of one package can't both have.
func compareScopes(generated, beside load.Scope, file output.Rendered, diags *diag.List) {
	report := func(name, generated, beside string, pos token.Position) {
		say := func(here, there string, where any) string {
			text := fmt.Sprintf("output: %s is %s here and %s in %s", name, here, there, where)
			return strings.Replace(text, "declared here and declared in", "declared here and in", 1)
		}
		if file.Users {
			diags.Errors = append(diags.Errors, file.Problem(placeOf(name, file.File), say(generated, beside, pos), "give it another name, or the file another package"))
			return
		}
		diags.Errorf(pos, "%s, which is generated beside it; rename it, or move it to another package", say(beside, generated, filepath.Base(file.Path)))
	}
	compare := func(generated, beside string, here, there map[string]token.Position) {
		for name := range here {
			if pos, ok := there[name]; ok {
				report(name, generated, beside, pos)
			}
		}
	}
	compare("declared", "declared", generated.Declared, beside.Declared)
	compare("declared", "imported", generated.Declared, beside.Imported)
	compare("imported", "declared", generated.Imported, beside.Declared)
}

// placeOf is the place of a name in what the template of a file gives.
func placeOf(name string, file output.File) token.Position {
	source, _ := file.Template.Render(file.Data) // as before
	scope := load.NewScope()
	scope.Add("", source)
	return scope.Declared[name]
}
