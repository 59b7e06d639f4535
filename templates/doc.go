// Package templates turns plain data into the text of generated files.
//
// Each file *.go.tmpl of this folder is a template for one kind of file. Its first line says for what there
// is such a file, and where the file goes:
//
//	{{- /* informer-gen: for each version; file {{.Version.Informers.Dir}}/extra.go */ -}}
//
// A template whose path comes out empty makes no file. Users' own templates have the same form. Each
// template is rendered with a File, whose Run, Group, Version and Type say what the file is for:
//
//	Run ─► Groups ─► Versions ─► Types
//
//	File ─► Template.FileName, Template.Render ─► package clause, imports, declarations (not yet formatted)
//
// A template decides only how a file looks: it reads no comment, knows no flag and computes no name. It
// names the identifiers of other packages in two ways, and both record the import. Use names an identifier
// by its import path, or by a package of the table Libraries, which lists what generated code needs of the
// runtime, client-go and apimachinery. Ref names an identifier of a package that only the data knows, such
// as an API package. An import whose name the file uses for something else gets another name.
//
// The data is shared among files, and is only read. Several goroutines may use one Template, each with its
// own File.
package templates
