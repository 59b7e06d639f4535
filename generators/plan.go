package generators

import (
	"cmp"
	"errors"
	"go/scanner"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/templates"
)

// planner lists the files to generate: for each template one for each of the things that it is for.
type planner struct {
	*run
	// names are those that packages declare, by directory, so that no import has them.
	names map[string]map[string]bool
	// packages are the names of the packages, by directory.
	packages map[string]string
	// taken are the files by their paths in lower case, for some file systems take such paths
	// for the same.
	taken map[string]output.File
	files []output.File
	diags diag.List
}

// plan lists the files of a model, with the files of users' templates last.
func (r *run) plan() ([]output.File, error) {
	p := &planner{run: r, names: reserved(r.model, r.to), packages: map[string]string{}, taken: map[string]output.File{}}
	for _, t := range templates.Own {
		p.add(t, false)
	}
	for _, of := range r.model.Copies {
		if len(of.Types) > 0 {
			data := &templates.File{Copies: of.Types, Package: of.PackageName, Reserved: of.Reserved, Generated: header.Sentence("")}
			p.put(output.File{Path: filepath.Join(of.Dir, fields.CopiesFile), Template: templates.DeepCopies, Data: data})
		}
	}
	slices.SortFunc(p.files, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	if err := r.checkPlaces(p.files); err != nil {
		return nil, err
	}
	for _, t := range r.templates {
		p.add(t, true)
	}
	return p.files, p.diags.Err()
}

// add adds the files of a template.
func (p *planner) add(t *templates.Template, users bool) {
	for _, run := range p.runs {
		for _, data := range things(run, t.Each) {
			name, packageName, err := t.FileName(data)
			if problem := (*scanner.Error)(nil); errors.As(err, &problem) {
				p.diags.Errors = append(p.diags.Errors, problem)
				return
			}
			if name == "" {
				continue
			}
			out := output.File{Path: p.to.place(name), Template: t, Data: data, Users: users}
			dir := filepath.Dir(out.Path)
			data.Path, data.Generated = p.to.folderOf(dir).path, header.Sentence("")
			if users {
				data.Generated = header.Sentence(t.Name)
			}
			if path.Ext(name) == ".go" {
				p.inPackage(out, dir, packageName)
			}
			if users {
				p.checkPlace(out, name)
			}
			p.put(out)
		}
	}
}

func (p *planner) put(out output.File) {
	p.taken[strings.ToLower(out.Path)] = out
	p.files = append(p.files, out)
}

// things returns one File for each of the things that a template is for.
func things(run *templates.Run, each string) []*templates.File {
	var files []*templates.File
	add := func(thing string, of templates.File) {
		if thing == each {
			file := of // which is on the heap only here
			files = append(files, &file)
		}
	}
	add("run", templates.File{Run: run})
	for _, group := range run.Groups {
		add("group", templates.File{Run: run, Group: group})
		for _, version := range group.Versions {
			add("version", templates.File{Run: run, Group: group, Version: version})
			for _, t := range version.Types {
				add("type", templates.File{Run: run, Group: group, Version: version, Type: t})
			}
		}
	}
	return files
}

// inPackage sets the package of a Go file: the name that its template says, or the package of the other
// files of its directory, or a name made of the directory's.
func (p *planner) inPackage(out output.File, dir, name string) {
	if out.Users && p.packages[dir] == "" {
		_, beside := p.loader.PackageIn(dir, nil)
		p.packages[dir], p.names[dir] = beside, map[string]bool{}
		for declared := range p.loader.HandWritten(dir, nil).Declared {
			p.names[dir][declared] = true
		}
	}
	out.Data.Package = cmp.Or(name, p.packages[dir], collect.PackageName(filepath.Base(dir), "pkg"))
	out.Data.Reserved = p.names[dir]
	if strings.HasSuffix(out.Data.Package, "_test") {
		out.Data.Path = "" // which it imports
	}
	if p.packages[dir] == "" && !strings.HasSuffix(out.Path, "_test.go") {
		p.packages[dir] = out.Data.Package
	}
}
