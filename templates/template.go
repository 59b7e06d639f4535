package templates

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.go.tmpl
var sources embed.FS

// Own holds the templates of this package for types, versions, groups and runs, sorted by name.
var Own = own()

// DeepCopies writes the deep copies of a package, from File.Copies.
var DeepCopies = &Template{Name: "_deepcopies.go.tmpl", Shown: "_deepcopies.go.tmpl", set: Own[0].set}

func own() []*Template {
	all, err := Parse(sources, "")
	if err != nil {
		panic(err) // every test would see it
	}
	return all
}

// Template makes at most one file for each of the things that it is for.
type Template struct {
	// Name is the name of the template's file, and Shown its path in messages.
	Name, Shown string
	// Each says what it is for: type, version, group or run.
	Each string
	// Path is the path of the template's files as the first line has it, with actions.
	Path string

	set                 *template.Template // all templates of the folder
	path, packageClause *template.Template
}

// functions are the functions that templates have besides text/template's.
var functions = template.FuncMap{
	"join": strings.Join,
	"json": func(value any) (string, error) {
		text, err := json.Marshal(value)
		return string(text), err
	},
	"lower":   strings.ToLower,
	"replace": strings.ReplaceAll,
	"upper":   strings.ToUpper,
}

// firstLine matches the first line, which says what a template is for and where its files go.
var firstLine = regexp.MustCompile(`^\{\{(?:- )?/\* informer-gen: for each (\w+); (?:package (.+?); )?file (.+?) \*/(?: -)?\}\}`)

// each lists the things that a template can be for.
var each = []string{"type", "version", "group", "run"}

// Parse reads the templates of a folder: the files *.tmpl. Files whose names begin with "_" are included by
// other templates, and make no files themselves. Shown is the path of the folder in messages. The error is
// a go/scanner.ErrorList.
func Parse(folder fs.FS, shown string) ([]*Template, error) {
	names, _ := fs.Glob(folder, "*.tmpl") // fails for wrong patterns only
	set := template.New("").Option("missingkey=error").Funcs(functions)
	var all []*Template
	var problems scanner.ErrorList
	for _, name := range names {
		t := &Template{Name: name, Shown: shown + name, set: set}
		if err := t.read(folder); err != nil {
			problems = append(problems, err)
		}
		if !strings.HasPrefix(name, "_") {
			all = append(all, t)
		}
	}
	return all, problems.Err()
}

func (t *Template) read(folder fs.FS) *scanner.Error {
	if info, err := fs.Stat(folder, t.Name); err == nil && !info.Mode().IsRegular() {
		return t.at(1, "template: is no regular file; give it another name, or remove it")
	}
	text, err := fs.ReadFile(folder, t.Name)
	if err != nil {
		return t.at(1, "template: %v", err)
	}
	return t.parse(strings.TrimPrefix(string(text), "\ufeff"))
}

func (t *Template) parse(text string) *scanner.Error {
	if _, err := t.set.New(t.Name).Parse(text); err != nil {
		return t.problem(err, "")
	}
	if strings.HasPrefix(t.Name, "_") {
		return nil
	}
	parts := firstLine.FindStringSubmatch(text)
	if parts == nil {
		return t.at(1, "template: the first line does not say what it is for; begin with {{/* informer-gen: for each type; file DIRECTORY/{{.Type.FileName}} */}}, or give it a name with _ if others include it")
	}
	t.Each, t.Path = parts[1], parts[3]
	switch {
	case !slices.Contains(each, t.Each):
		return t.at(1, "template: for each %s: is none of %s", t.Each, strings.Join(each, ", "))
	case strings.Contains(t.Path, "; package "):
		return t.at(1, "template: the package stands behind the path; write it before: package NAME; file PATH")
	}
	var err error
	if t.path, err = t.line(t.Path); err == nil {
		t.packageClause, err = t.line(parts[2])
	}
	if err != nil {
		return t.problem(err, "")
	}
	return nil
}

// line parses a part of the first line.
func (t *Template) line(text string) (*template.Template, error) {
	return template.New(t.Name).Option("missingkey=error").Funcs(functions).Parse(text)
}

// FileName returns the path of the file, relative to the folder of the output, and the name in its package
// clause. The package name is empty if the template does not say; the path is empty if there is no file.
// The error is a *go/scanner.Error.
func (t *Template) FileName(file *File) (name, packageName string, err error) {
	var path, clause strings.Builder
	if err := cmp.Or(t.path.Execute(&path, file), t.packageClause.Execute(&clause, file)); err != nil {
		problem := t.problem(err, file.Subject())
		problem.Pos.Column = 0 // it would count from the beginning of the path
		return "", "", problem
	}
	return strings.TrimSpace(path.String()), clause.String(), nil
}

// bodies hold the text that a template renders, before its imports are known.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// abovePackage matches the beginning of a file that stands above its package clause: a build constraint and
// the comment of the package.
var abovePackage = regexp.MustCompile(`\A\s*(?://go:build .*\n\s*)?(?:// Package .*\n(?://.*\n)*)?`)

// Render returns the text of a file. A file with a package is returned as Go source, which begins with its
// package clause or its comment. It is not formatted and has no header. The error is a *go/scanner.Error.
func (t *Template) Render(file *File) ([]byte, error) {
	defer func() { file.imports = nil }()
	body := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	reserved, written := file.Reserved, map[string]string{}
	for {
		body.Reset()
		file.imports = newImports(reserved, written)
		if err := t.set.ExecuteTemplate(body, t.Name, file); err != nil {
			return nil, t.problem(err, file.Subject())
		}
		if file.Package == "" {
			return bytes.Clone(body.Bytes()), nil
		}
		if found := importsIn(body.Bytes()); len(found) > len(written) {
			written = found
			continue
		}
		clashes := file.imports.clashes(body.Bytes())
		if len(clashes) == 0 {
			above := abovePackage.Find(body.Bytes())
			return slices.Concat(above, []byte(file.head()), body.Bytes()[len(above):]), nil
		}
		reserved = maps.Clone(reserved)
		if reserved == nil {
			reserved = map[string]bool{}
		}
		for _, clash := range clashes {
			reserved[clash] = true
		}
	}
}

// head returns the package clause and the imports.
func (f *File) head() string {
	return "package " + f.Package + "\n\n" + f.imports.declaration() + "\n"
}

// Subject names what a file is for: the import path and the name of a type, or the import path of
// the first API package of a version or group. It is empty for a run.
func (f *File) Subject() string {
	switch {
	case f.Type != nil:
		return f.Type.API.Path + "." + f.Type.Name
	case f.Version != nil:
		return f.Version.Types[0].API.Path
	case f.Group != nil:
		return f.Group.Versions[0].Types[0].API.Path
	}
	return ""
}

// failure matches the errors of text/template: the name, line and column, and what is wrong.
var failure = regexp.MustCompile(`^template: ([^:]*):(\d+):(?:(\d+):)? (?:executing ".*?" at )?((?s).*)$`)

// problem adds to an error of text/template its position in the template.
func (t *Template) problem(err error, subject string) *scanner.Error {
	parts := failure.FindStringSubmatch(err.Error())
	if parts == nil {
		return t.at(1, "template: %v", err)
	}
	advice := ""
	if strings.Contains(parts[4], "nil pointer") && t.Each != "type" {
		advice = fmt.Sprintf("a template for each %s has no smaller things", t.Each)
	}
	found := t.at(0, "template: %s", about(parts[4], subject, advice))
	found.Pos.Filename = strings.TrimSuffix(t.Shown, t.Name) + parts[1]
	found.Pos.Line, _ = strconv.Atoi(parts[2])
	if column, err := strconv.Atoi(parts[3]); err == nil {
		found.Pos.Column = column + 1
	}
	return found
}

func (t *Template) at(line int, format string, args ...any) *scanner.Error {
	return &scanner.Error{Pos: token.Position{Filename: t.Shown, Line: line}, Msg: fmt.Sprintf(format, args...)}
}
