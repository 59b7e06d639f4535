package generators

import (
	"cmp"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// readTemplates reads the users' templates.
func readTemplates(options *Options) ([]*templates.Template, error) {
	var all []*templates.Template
	var problems scanner.ErrorList
	shown := map[string]string{}
	for _, dir := range options.Templates {
		at := paths.Absolute(options.Dir, dir)
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("templates: %s: is no directory; name one that has files *.tmpl", dir)
		}
		found, err := templates.Parse(os.DirFS(at), path.Clean(filepath.ToSlash(paths.Relative(options.Dir, at)))+"/")
		var list scanner.ErrorList
		if err != nil && !errors.As(err, &list) {
			return nil, fmt.Errorf("templates: %w", err)
		}
		problems = append(problems, list...)
		if len(found) == 0 && len(list) == 0 {
			problems.Add(token.Position{Filename: dir}, "templates: has no template; add a file such as controller.go.tmpl, or leave out --templates")
		}
		for _, t := range found {
			if other := shown[t.Name]; other != "" {
				problems.Add(token.Position{Filename: t.Shown}, fmt.Sprintf("templates: has the name of %s, by which their files are told apart; rename one", other))
			}
			shown[t.Name] = t.Shown
		}
		all = append(all, found...)
	}
	problems.Sort()
	return all, problems.Err()
}

// checkPlace reports a file of a user's template that can't be where it is to go.
func (p *planner) checkPlace(out output.File, dir string) {
	problem, name := p.misplaced(out.Path, dir), out.Data.Package
	other, taken := p.taken[strings.ToLower(out.Path)]
	switch beside := p.packages[dir]; {
	case problem != "":
	case taken && other.Data.Subject() != "":
		problem = fmt.Sprintf("is what %s gives for %s; give each a path of its own", other.Template.Shown, other.Data.Subject())
	case taken:
		problem = fmt.Sprintf("is what %s gives; give each a path of its own", other.Template.Shown)
	case path.Ext(out.Path) == ".go" && !token.IsIdentifier(name):
		problem = fmt.Sprintf("package %q is no name of a package", name)
	case name != "" && name != beside && !strings.HasSuffix(out.Path, "_test.go"):
		problem = fmt.Sprintf("is in package %s, but other files of its directory are in %s; write \"package %s; file …\" in the first line, or give it another directory", name, beside, beside)
	default:
		return
	}
	shown := filepath.ToSlash(paths.Relative(p.options.Dir, out.Path))
	wrong, advice, _ := strings.Cut(problem, "; ")
	p.diags.Errors = append(p.diags.Errors, out.Problem(token.Position{}, "file: "+shown+": "+wrong, advice))
}

// misplaced says what is wrong with a path.
func (p *planner) misplaced(file, dir string) string {
	if home := p.to.home; home != nil {
		if rel, err := filepath.Rel(home.Dir, file); err != nil || !filepath.IsLocal(rel) {
			return fmt.Sprintf("is outside of module %s; begin it with / to name it from the root of the module", home.Path)
		}
	}
	err := usable(p.options.Dir, dir)
	if err == nil {
		err = p.to.inside(p.options.Dir, p.loader.Mods, p.to.folderOf(dir))
	}
	if err != nil {
		return strings.TrimPrefix(err.Error(), "output: ")
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return "is a directory; name a file"
	}
	return ""
}

// staleOfUsers lists the files that templates of users gave in an earlier run and give no more. A
// file for an API type or an API package stays as long as there is one that this run does not read.
func (s *sweeper) staleOfUsers(all []*templates.Template, files []output.Rendered, diags *diag.List) ([]string, error) {
	if len(all) == 0 {
		return nil, nil
	}
	named := map[string]bool{}
	for _, t := range all {
		named[t.Name] = true
	}
	stale := map[string]bool{}
	for root := range s.rootsOfUsers(all, files) {
		err := filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
			switch err = cmp.Or(err, s.loader.Ctx.Err()); {
			case errors.Is(err, os.ErrNotExist) && at == root:
				return nil
			case err != nil:
				return err
			case entry.IsDir() && at != root && (load.Ignored(entry.Name()) || paths.Exists(filepath.Join(at, "go.mod"))):
				return filepath.SkipDir
			case !entry.Type().IsRegular() || s.written[at]:
				return nil
			}
			content, err := os.ReadFile(at)
			if name, subject, _ := header.Origin(content); err == nil && named[name] && !s.lives(subject) {
				stale[at] = true
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
	}
	found := slices.Sorted(maps.Keys(stale))
	if len(found) > 0 && len(s.failed) > 0 {
		s.warnUnswept(filepath.Dir(found[0]), []leftover{{path: found[0]}}, diags)
		return nil, nil
	}
	return found, nil
}

// rootsOfUsers are the directories below which files of users' templates may be: those that their
// paths name in the module, that of the informers, and those beside it which files of this run are
// below.
func (s *sweeper) rootsOfUsers(all []*templates.Template, files []output.Rendered) map[string]bool {
	roots := map[string]bool{s.to.informers.dir: true}
	for _, t := range all {
		for _, part := range condition.Split(t.Path, -1) {
			fixed, _, _ := strings.Cut(part, "{{")
			dir := s.to.place(path.Dir(fixed + "_"))
			if home := s.to.home; dir != s.to.base().dir && home != nil && strings.HasPrefix(dir, home.Dir+string(filepath.Separator)) {
				roots[dir] = true
			}
		}
	}
	for _, file := range files {
		rel, err := filepath.Rel(s.to.base().dir, file.Path)
		if first, _, below := strings.Cut(filepath.ToSlash(rel), "/"); file.Users && err == nil && filepath.IsLocal(rel) && below {
			roots[filepath.Join(s.to.base().dir, first)] = true
		}
	}
	return roots
}

// condition matches the actions of a path that print nothing.
var condition = regexp.MustCompile(`\{\{-? *(?:if|else|with|end)\b[^}]*\}\}`)

// lives reports whether a file for an API type or an API package may be that of another run.
func (s *sweeper) lives(subject string) bool {
	importPath, kind := subject, ""
	if dot := strings.LastIndex(subject, "."); dot > strings.LastIndex(subject, "/") && token.IsExported(subject[dot+1:]) {
		importPath, kind = subject[:dot], subject[dot+1:]
	}
	if importPath == "" || s.loader.Looked[importPath] || s.loader.Mods.Gone(importPath, s.loader.Dir) {
		return false
	}
	pkg := s.loader.LoadImport(importPath, s.loader.Dir)
	return pkg == nil || kind == "" || pkg.Type(kind) != nil
}
