package cache

import (
	"fmt"
	"reflect"
	"regexp"
	"runtime"
	"strings"
)

// handlerName names a handler by the place where it was written: a handler of functions by their package or
// function, any other handler by its type. Names have the import path before them, as client-go's have.
// Type arguments have only the name of their package: three paths in a name can't be read.
func handlerName(handler any) string {
	v := reflect.ValueOf(handler)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	name := ""
	switch {
	case !v.IsValid():
	case isHandlerFuncs(v.Type()):
		name = funcsName(v)
	case v.Type().Name() != "":
		name = pathInArgument.ReplaceAllString(v.Type().Name(), "")
		if path := v.Type().PkgPath(); path != "" {
			name = path + "." + name
		}
	}
	if name == "" {
		return fmt.Sprintf("%T", handler)
	}
	return name
}

// pathInArgument matches an import path without its last element.
var pathInArgument = regexp.MustCompile(`[^\[\]()*, ]*/`)

// isHandlerFuncs reports whether t is one of client-go's two plain structs of handler functions, or their
// typed variants, which older minors of client-go lack.
func isHandlerFuncs(t reflect.Type) bool {
	switch t.PkgPath() {
	case reflect.TypeFor[ResourceEventHandlerFuncs]().PkgPath(), reflect.TypeFor[registration]().PkgPath():
	default:
		return false
	}
	base, _, _ := strings.Cut(t.Name(), "[")
	switch strings.TrimPrefix(base, "Typed") {
	case "ResourceEventHandlerFuncs", "ResourceEventHandlerDetailedFuncs":
		return true
	}
	return false
}

// funcsName returns the part before the last dot that the names of a struct's functions have in common. If
// they differ in that, it returns all of the names.
func funcsName(v reflect.Value) string {
	var names []string
	common, same := "", true
	for i := range v.NumField() {
		fn := runtime.FuncForPC(v.Field(i).Pointer())
		if fn == nil {
			continue
		}
		name := fn.Name()
		names = append(names, name)
		place := name
		if dot := strings.LastIndexByte(name, '.'); dot > 0 {
			place = name[:dot]
		}
		if common == "" {
			common = place
		}
		same = same && place == common
	}
	if same {
		return common
	}
	return strings.Join(names, "+")
}
