package templates

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"sync"
	"text/template"
)

//go:embed *.go.tmpl
var sources embed.FS

var parsed = template.Must(template.New("").Option("missingkey=error").ParseFS(sources, "*.go.tmpl"))

// local are the names of parameters, receivers and variables in the templates,
// which would hide an import of that name, and the predeclared ones, which an
// import would hide.
var local = map[string]bool{
	"_": true, "any": true, "append": true, "bool": true, "byte": true, "error": true, "false": true, "init": true, "nil": true, "string": true, "true": true,
	"int": true, "int8": true, "int16": true, "int32": true, "int64": true, "rune": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true,
	"api": true, "client": true, "ctx": true, "data": true, "defaultResync": true, "entry": true, "f": true, "fields": true, "g": true, "group": true, "groups": true, "i": true, "indexer": true, "indexers": true, "informer": true, "informerName": true,
	"informerFor": true, "l": true, "listOptions": true, "name": true, "namespace": true, "newFunc": true, "newInformer": true, "obj": true, "objects": true, "options": true, "patchType": true, "resource": true, "resyncConfig": true, "resyncPeriod": true,
	"scope": true, "set": true, "sharedInformerFactory": true, "stale": true, "stopCh": true, "subresources": true, "transform": true, "tweakListOptions": true, "untyped": true, "v": true, "value": true, "values": true, "version": true,
}

// Data is one of the data structs of this package.
type Data interface {
	// PackageName returns the name in the package clause of the file.
	PackageName() string
	file() *File
}

// templateOf returns the template of data, which is called as the struct is.
func templateOf(data Data) string {
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", data), "*templates.")) + ".go.tmpl"
}

// bodies hold what a template gives, before it is known what that imports.
var bodies = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// Render returns the Go source of a file from its package clause on: not
// formatted, and without a header. An error names the place in the template.
func Render(data Data) ([]byte, error) {
	file := data.file()
	file.imports = newImports(file.Reserved)
	defer func() { file.imports = nil }()
	body := bodies.Get().(*bytes.Buffer)
	defer bodies.Put(body)
	body.Reset()
	if err := parsed.ExecuteTemplate(body, templateOf(data), data); err != nil {
		return nil, err
	}
	head := "package " + file.Package + "\n\n" + file.imports.declaration() + "\n"
	return append([]byte(head), body.Bytes()...), nil
}
