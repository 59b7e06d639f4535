// Package templates turns plain data into the text of generated files.
//
// Each file *.go.tmpl of this folder is a template for one kind of file, whose first line says for
// what there is such a file, and where it goes:
//
//	{{- /* informer-gen: for each version; file {{.Version.Informers.Dir}}/extra.go */ -}}
//
// A template with an empty path for something makes no file for it. Users have templates of their
// own, in the same form. All are rendered with a File, whose Run, Group, Version and Type say
// what the file is for:
//
//	Run ─► Groups ─► Versions ─► Types
//
//	File ─► Template.FileName, Template.Render ─► package clause, imports, declarations (not yet formatted)
//
// A template decides only how a file looks: it reads no comment, knows no flag and computes no name.
// It names what it uses of other packages in two ways, and both record the import: Use names an
// identifier by its import path, or one of the table Libraries, which has all that generated code
// needs of the runtime, client-go and apimachinery; Ref names an identifier of a package that only
// the data knows, such as an API package. An import whose name the file has for something else gets
// another one.
//
// All of the data is shared among files, and only read. A Template may be used by several goroutines,
// each with a File of its own.
package templates
