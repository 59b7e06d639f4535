package generators

import (
	"bytes"
	"go/token"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// addCopied notes the types that a source declares DeepCopyObject for. Sources
// are searched rather than parsed, since the methods of API types are most of
// their packages.
func (p *Package) addCopied(source []byte) {
	for receiver := range receivers(source, "DeepCopyObject") {
		p.copied[receiver] = true
	}
}

// receivers are the types that a source declares a method for.
func receivers(source []byte, method string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for signature := []byte(") " + method + "("); ; {
			before, after, ok := bytes.Cut(source, signature)
			if !ok {
				return
			}
			receiver, ok := bytes.CutPrefix(before[bytes.LastIndexByte(before, '\n')+1:], []byte("func ("))
			receiver, _, _ = bytes.Cut(receiver, []byte("[")) // without type parameters
			receiver = receiver[bytes.LastIndexAny(receiver, " *")+1:]
			if ok && !yield(string(receiver)) {
				return
			}
			source = after
		}
	}
}

// The methods that declaresMethod knows of: those of deep copies, and those by which types
// decode themselves.
var (
	copyMethods   = []string{"DeepCopyInto", "DeepCopy", "DeepCopyObject"}
	decodeMethods = []string{"UnmarshalJSON", "UnmarshalJSONFrom", "UnmarshalText"}
)

// declaresMethod reports whether the package has a method of a type, in any file but this
// tool's own. All files are searched for the methods when the first one is asked for.
func (p *Package) declaresMethod(typ, method string) bool {
	if p.methods == nil {
		p.methods = map[string]bool{}
		names, _ := goFiles(p.Dir) // no files, no methods
		for _, name := range names {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil || hasHeader(source) || !p.loader.included(p.Dir, name, source) {
				continue
			}
			for _, method := range slices.Concat(copyMethods, decodeMethods) {
				for receiver := range receivers(source, method) {
					p.methods[receiver+"."+method] = true
				}
			}
		}
	}
	return p.methods[typ+"."+method]
}

// copies reports whether a type has the method DeepCopyObject, of its own or of
// what it embeds.
func (d *declaration) copies(depth int) bool {
	target := d.unalias()
	if target.pkg.copied[target.spec.Name.Name] {
		return true
	}
	fields, holder := target.structure()
	if fields == nil || depth == 0 {
		return false
	}
	for _, field := range fields.Fields.List {
		if len(field.Names) > 0 {
			continue
		}
		if base, _ := holder.refer(field.Type); base != nil && base.copies(depth-1) {
			return true
		}
	}
	return false
}

// uncopied is a kind without DeepCopyObject.
type uncopied struct {
	name string
	root bool
	pos  token.Position
}

// reportUncopied reports the kinds of a package that lack DeepCopyObject, without which
// the output does not compile. For root types that is an error; client-gen's
// scripts may well make it after this run.
func (c *collector) reportUncopied(pkg *Package, own packageMarkers) {
	for _, root := range []bool{true, false} {
		var names []string
		var first token.Position
		for _, kind := range slices.Backward(c.uncopied) {
			if kind.root == root {
				names, first = append(names, kind.name), kind.pos
			}
		}
		slices.Reverse(names)
		text := strings.Join(names, ", ") + ": no method DeepCopyObject"
		dir := filepath.ToSlash(relative(pkg.loader.dir, pkg.Dir))
		if filepath.IsLocal(dir) {
			dir = "./" + strings.TrimPrefix(dir, "./")
		}
		command := "controller-gen object paths=" + dir
		if !root || own.deepCopyGen {
			command = "deepcopy-gen"
		}
		switch {
		case len(names) == 0:
		case root:
			c.diags.errorf(first, "kind: %s; run %s first, which writes it, or leave out types with --exclude", text, command)
		default:
			c.diags.warnf(first, "kind: %s; the output compiles when %s has written it", text, command)
		}
	}
	c.uncopied = nil
}
