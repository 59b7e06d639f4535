// Package templates turns plain data into the text of generated Go files.
//
// There is one template per kind of file (the *.go.tmpl files of this folder)
// and one documented struct per template (data.go). A template decides only
// how a file looks: it reads no comment, knows no flag and computes no name.
//
//	data struct ─► Render ─► package clause, imports, declarations (not yet formatted)
//
// Templates name what they use of other packages in two ways, and both record
// the import: Use names an identifier of the table in identifiers.go, which is
// all that generated code needs of the runtime, client-go and apimachinery; Ref
// names an identifier of a package that only the data knows, such as an API
// package.
//
// Render is safe for concurrent use; one data value must not be rendered twice
// at the same time.
package templates
