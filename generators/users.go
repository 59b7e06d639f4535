package generators

import (
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	modpath "golang.org/x/mod/module"

	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// readTemplates reads the users' templates.
func readTemplates(options *Options) ([]*templates.Template, error) {
	var all []*templates.Template
	var problems scanner.ErrorList
	for _, dir := range options.Templates {
		at := paths.Absolute(options.Dir, dir)
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("templates: %s: is no directory; name one that has files *.tmpl", dir)
		}
		found, err := templates.Parse(os.DirFS(at), path.Clean(filepath.ToSlash(paths.Relative(options.Dir, at)))+"/")
		var list scanner.ErrorList
		if errors.As(err, &list) {
			problems = append(problems, list...)
		} else if len(found) == 0 {
			problems.Add(token.Position{Filename: dir}, "templates: has no template; add a file such as controller.go.tmpl, or leave out --templates")
		}
		all = append(all, found...)
	}
	problems.Sort()
	return all, problems.Err()
}

// checkPlace reports a file of a user's template that can't be where it is to go.
func (p *planner) checkPlace(out output.File, name string) {
	problem, dir := p.misplaced(out.Path, name), filepath.Dir(out.Path)
	if problem == "" && path.Ext(name) == ".go" {
		problem = p.misnamed(out, dir)
	}
	if other, taken := p.taken[strings.ToLower(out.Path)]; taken && problem == "" {
		problem = "is what " + other.Template.Shown + " gives"
		if subject := other.Data.Subject(); subject != "" {
			problem += " for " + subject
		}
		problem += "; give each a path of its own"
	}
	if problem != "" {
		wrong, advice, _ := strings.Cut(problem, "; ")
		shown := strconv.Quote(filepath.ToSlash(paths.Relative(p.options.Dir, out.Path)))
		p.diags.Errors = append(p.diags.Errors, out.Problem(token.Position{}, "file: "+strings.Trim(shown, `"`)+": "+wrong, advice))
	}
}

// misnamed says what is wrong with the package of a Go file.
func (p *planner) misnamed(out output.File, dir string) string {
	name, beside, importPath := out.Data.Package, p.packages[dir], p.to.folderOf(dir).path
	switch {
	case !token.IsIdentifier(name) || name == "_":
		return fmt.Sprintf("package %q is no name of a package", name)
	case importPath != "" && modpath.CheckImportPath(importPath) != nil:
		return fmt.Sprintf("%q is no import path; choose another directory", importPath)
	case name != beside && !strings.HasSuffix(out.Path, "_test.go"):
		return fmt.Sprintf("is in package %s, but other files of its directory are in %s; write \"package %s; file …\" in the first line, or give it another directory", name, beside, beside)
	}
	return ""
}

// misplaced says what is wrong with a path.
func (p *planner) misplaced(file, name string) string {
	strange := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	switch {
	case strings.ContainsFunc(name, strange):
		return "has control characters, or is not UTF-8"
	case strings.HasSuffix(name, "/"):
		return "is a directory; name a file"
	case strings.EqualFold(file, p.to.manifestFile()):
		return "lists the files of all templates; choose another name"
	case slices.Contains(strings.Split(name, "/"), ".git"):
		return "is git's; choose another directory"
	}
	for _, dir := range p.options.Templates {
		if filepath.Dir(file) == paths.Absolute(p.options.Dir, dir) {
			return "is among the templates; choose another directory"
		}
	}
	if home := p.to.home; home != nil {
		for _, of := range [][2]string{{home.Dir, file}, {resolved(home.Dir), resolved(file)}} {
			if rel, err := filepath.Rel(of[0], of[1]); err != nil || !filepath.IsLocal(rel) {
				return fmt.Sprintf("is outside of module %s, or leads there; begin it with / to name it from the root of the module", home.Path)
			}
		}
	}
	dir := filepath.Dir(file)
	if err := usable(p.options.Dir, dir); err != nil {
		return strings.TrimPrefix(err.Error(), "output: ")
	}
	if err := p.to.inside(p.options.Dir, p.loader.Mods, p.to.folderOf(dir)); err != nil {
		wrong, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "output: "), "; ") // the rest is about flags
		return wrong + "; choose another directory"
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return "is a directory; name a file"
	}
	return ""
}
