package collect

import (
	"go/ast"
	"go/token"
	"strings"

	modpath "golang.org/x/mod/module"

	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/internal/suggest"
	"github.com/informer-gen/informer-gen/templates"
)

// judgeSlim turns a slim type into a kind, or says why there is none, and notes it for
// fields.CopiesOf.
func (c *collector) judgeSlim(decl *load.Declaration, comments load.TypeComments, tags typeTags, own packageMarkers) verdict {
	problems := len(c.diags.Errors)
	v := c.slimVerdict(decl, comments, tags, own)
	c.slims = append(c.slims, fields.Slim{Declaration: decl, Quiet: v.kind == nil || len(c.diags.Errors) > problems})
	return v
}

// slimVerdict turns a slim type into a kind of its full type's resource.
func (c *collector) slimVerdict(decl *load.Declaration, comments load.TypeComments, tags typeTags, own packageMarkers) verdict {
	if reason := c.choice.refuses(decl.Pkg, decl.Name()); reason != "" {
		return unwanted(reason)
	}
	if own.noInformers && own.noListers {
		return unwanted("+k8s:informer-gen=false")
	}
	full := c.fullType(decl, tags)
	if !c.checkSlim(decl, markersAt(comments), tags) || full == nil {
		return verdict{}
	}
	fullTags := c.tags.quiet().parse(markersAt(full.Comments())) // what is wrong there is for others to correct
	if !c.checkFull(decl, full, tags, fullTags) {
		return verdict{}
	}
	fields.CheckSubset(decl, full, c.diags)
	checkMethods(decl, c.diags)
	out := c.generatedFor(fullTags, own)
	out.client = false // which would write objects without the fields that the type lacks
	if out == (generated{}) {
		c.diags.Errorf(c.tags.at(tags.slimPos), "+%s: the +genclient tags of %s leave no list with watch or get; name a type that can be followed", slimTag, tags.Slim)
	}
	return verdict{kind: c.namedSlim(decl, full, comments, tags, fullTags, out), full: full}
}

// addSlim adds a slim kind to the group and version of its full type.
func (c *collector) addSlim(pkg *load.Package, v verdict) {
	c.refuseMain(pkg)
	c.groups.add(v.full.Pkg, groupVersionOf(v.full.Pkg, markersOf(v.full.Pkg), false, c.diags), false, []*Kind{v.kind})
}

// fullType finds the type that a slim type names, or reports why there is none.
func (c *collector) fullType(decl *load.Declaration, tags typeTags) *load.Declaration {
	at, loader := c.tags.at(tags.slimPos), decl.Pkg.Loader
	path, name := splitType(tags.Slim)
	if path == "" {
		c.diags.Errorf(at, "+%s: %q is not a type with its import path; write +%s=k8s.io/api/core/v1.Pod, for example", slimTag, tags.Slim, slimTag)
		return nil
	}
	if !strings.Contains(path, "/") {
		if imported := decl.File.ImportPath(decl.Pkg, path); imported != "" && imported != path {
			c.diags.Errorf(at, "+%s: %q is not a type with its import path; did you mean %s.%s?", slimTag, tags.Slim, imported, name)
			return nil
		}
	}
	pkg := loader.LoadImport(path, decl.Pkg.Dir)
	if pkg == nil {
		c.diags.Errorf(at, "+%s: %s is not found: %v; make sure that its module is in go.mod", slimTag, tags.Slim, loader.Failed[path])
		return nil
	}
	full := pkg.Type(name)
	if full == nil {
		c.diags.Errorf(at, "+%s: %s is not found: %s has no type %s%s", slimTag, tags.Slim, path, name, suggest.DidYouMean(name, "", pkg.ExportedTypes()))
	}
	return full
}

// splitType splits "k8s.io/api/core/v1.Pod"; the path is empty if that is no type.
func splitType(text string) (path, name string) {
	dot := strings.LastIndexByte(text, '.')
	if dot < 0 || modpath.CheckImportPath(text[:dot]) != nil || !token.IsIdentifier(text[dot+1:]) || !token.IsExported(text[dot+1:]) {
		return "", ""
	}
	return text[:dot], text[dot+1:]
}

// checkSlim reports what is wrong with a slim type, apart from its fields.
func (c *collector) checkSlim(decl *load.Declaration, all markers, tags typeTags) bool {
	name, at := decl.Name(), c.tags.at(tags.slimPos)
	problems := len(c.diags.Errors)
	for _, m := range all {
		if m.ofAPIType() {
			c.diags.Errorf(c.tags.at(m.pos), "+%s: %s is a slim type by +%s at %s, whose resource and scope are those of %s; leave out one of the markers", m.name, name, slimTag, at, tags.Slim)
		}
	}
	if c.options.HasClientset() {
		c.diags.Errorf(at, "+%s: a clientset has no methods for %s; leave out --versioned-clientset-package, or the type with --exclude", slimTag, name)
	}
	_, isStruct := decl.Spec.Type.(*ast.StructType)
	switch {
	case !decl.IsExported():
		c.diags.Errorf(at, "+%s: %s is not exported; begin its name with a capital letter", slimTag, name)
	case decl.Spec.TypeParams != nil:
		c.diags.Errorf(at, "+%s: %s has type parameters; declare a type of its own for each instance", slimTag, name)
	case !isStruct || decl.Spec.Assign.IsValid():
		c.diags.Errorf(at, "+%s: %s is not declared as a struct; declare one with the fields that you need", slimTag, name)
	default:
		c.checkMeta(decl, at)
	}
	return len(c.diags.Errors) == problems
}

// checkMeta reports a slim type without the parts that every API type has.
func (c *collector) checkMeta(decl *load.Declaration, at token.Position) {
	name := decl.Name()
	switch lack, remedy := lacks(decl); {
	case lack == lacksObjectMeta:
		c.diags.Errorf(at, "+%s: %s %s; embed metav1.ObjectMeta `json:\"metadata,omitempty\"`", slimTag, name, lack)
	case lack != "":
		c.diags.Errorf(at, "+%s: %s %s; %s", slimTag, name, lack, remedy)
	case isInternal(decl):
		c.diags.Errorf(at, "+%s: the ObjectMeta of %s has no json tag; write metav1.ObjectMeta `json:\"metadata,omitempty\"`", slimTag, name)
	}
}

// ofAPIType reports whether a marker makes an API type, or says what one is called.
func (m marker) ofAPIType() bool {
	return strings.HasPrefix(m.name, "genclient") || m.name == "kubebuilder:object:root" && m.value != "false" || m.name == "resourceName" || m.ofCRD()
}

// checkFull reports a full type that is no API type.
func (c *collector) checkFull(decl, full *load.Declaration, tags, fullTags typeTags) bool {
	at := c.tags.at(tags.slimPos)
	lack, _ := lacks(full)
	literal := ownLiteral(full.Pkg)
	switch {
	case full.Pkg == decl.Pkg && full.Spec == decl.Spec:
		c.diags.Errorf(at, "+%s: %s names itself; name the type whose fields it has", slimTag, tags.Slim)
	case fullTags.Slim != "":
		c.diags.Errorf(at, "+%s: %s is a slim type itself; name %s", slimTag, tags.Slim, fullTags.Slim)
	case lack != "":
		c.diags.Errorf(at, "+%s: %s %s; name the type of an API object", slimTag, tags.Slim, lack)
	case isInternal(full), literal != nil && literal.version == internalVersion:
		c.diags.Errorf(at, "+%s: %s is internal, and not what a server sends; name the type of a version", slimTag, tags.Slim)
	default:
		return true
	}
	return false
}

// namedSlim makes a kind that has the resource and the names of the full type, and the Go
// type of the slim one.
func (c *collector) namedSlim(decl, full *load.Declaration, comments load.TypeComments, tags, fullTags typeTags, out generated) *Kind {
	kind := c.named(full, full.Comments(), fullTags, false, out)
	kind.Name, kind.Singular, kind.Slim, kind.List = decl.Name(), strings.ToLower(decl.Name()), tags.Slim, ""
	kind.Doc, kind.API, kind.Pos = sentence(comments), templates.Import{Path: decl.Pkg.Path, Name: decl.Pkg.Name}, decl.Position()
	kind.Markers = markersAt(comments).byName()
	kind.Dir, kind.goType = decl.Pkg.Dir, decl.GoType()
	return kind
}
