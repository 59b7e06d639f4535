package generators

import (
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

// staleOfUsers lists the files that templates of users gave in an earlier run and give no more, where
// their paths can be. It warns of those that are elsewhere in the module, as after a change of the
// path, or whose template is gone. A file for an API type or an API package stays as long as there is
// one that this run does not read, and so do the files in the output folder of another run.
func (s *sweeper) staleOfUsers(all []*templates.Template, diags *diag.List) ([]string, error) {
	if len(all) == 0 {
		return nil, nil
	}
	base := s.to.base().dir
	root, named := base, map[string]*regexp.Regexp{}
	if s.to.home != nil {
		root = s.to.home.Dir
	}
	for _, t := range all {
		named[t.Name] = pathsOf(t)
	}
	found, others, err := s.ofTemplates(root)
	var stale []string
	for _, at := range slices.Sorted(maps.Keys(found)) {
		of := found[at]
		isOthers := slices.ContainsFunc(others, func(other string) bool { return isBelow(at, other) && !isBelow(s.to.informers.dir, other) })
		switch pattern := named[of.template]; {
		case isOthers || s.lives(of.subject):
		case pattern == nil && isBelow(at, base):
			s.warnLeft(at, "output: is from %s, which no --templates has; remove it, or name the directory of that", of.template, diags)
		case pattern == nil:
		case pattern.MatchString(strings.TrimPrefix(at, root)), pattern.MatchString(strings.TrimPrefix(at, base+string(filepath.Separator))):
			stale = append(stale, at)
		default:
			s.warnLeft(at, "output: is from %s, which gives it no more; remove it, or move it to testdata if it is a copy", of.template, diags)
		}
	}
	if len(stale) > 0 && len(s.failed) > 0 {
		s.warnUnswept(filepath.Dir(stale[0]), []leftover{{path: stale[0]}}, diags)
		return nil, err
	}
	return stale, err
}

func (s *sweeper) warnLeft(at, format, template string, diags *diag.List) {
	diags.Warnf(token.Position{Filename: paths.Relative(s.loader.Dir, at)}, format, template)
}

// action matches an action of a path.
var action = regexp.MustCompile(`\{\{.*?\}\}`)

// pathsOf matches the paths that the files of a template can have.
func pathsOf(t *templates.Template) *regexp.Regexp {
	parts := action.Split(t.Path, -1)
	for i, part := range parts {
		parts[i] = regexp.QuoteMeta(part)
	}
	return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$")
}

// origin has what was said in the sentence of a file.
type origin struct{ template, subject string }

// ofTemplates are the files of users' templates below a directory which this run does not write, and
// the folders into which other runs write.
func (s *sweeper) ofTemplates(root string) (found map[string]origin, others []string, err error) {
	found = map[string]origin{}
	err = filepath.WalkDir(root, func(at string, entry fs.DirEntry, err error) error {
		switch {
		case s.loader.Ctx.Err() != nil:
			return s.loader.Ctx.Err()
		case err != nil:
			return fs.SkipDir // what can't be read is not a file of a run
		case entry.IsDir() && at != root && (load.Ignored(entry.Name()) || paths.Exists(filepath.Join(at, "go.mod"))):
			return filepath.SkipDir
		case entry.IsDir() && s.isOthers(s.to.informers.dir, at):
			if levels[entry.Name()] {
				at = filepath.Dir(at)
			}
			others = append(others, filepath.Dir(at))
			return nil
		case !entry.Type().IsRegular() || s.written[at]:
			return nil
		}
		if template, subject := header.OriginOf(at); template != "" {
			found[at] = origin{template, subject}
		}
		return nil
	})
	return found, others, err
}

// isBelow reports whether a path is below a directory.
func isBelow(path, dir string) bool { return strings.HasPrefix(path, dir+string(filepath.Separator)) }

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
