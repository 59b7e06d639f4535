package templates

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
)

// File is the data of a template: the things that the file is for, and its imports.
// Run is always set; Group, Version and Type are set in templates for each of these and for what
// these have: a template for each version has a Group, and no Type.
type File struct {
	Run     *Run
	Group   *Group
	Version *Version
	Type    *Type
	// Copies are the structs that _deepcopies.go.tmpl is rendered with, and nothing else.
	Copies []DeepCopy
	// Package is the name in the package clause, and Path the import path. They are empty for
	// what is no Go file, and Path for one of which it is not known.
	Package, Path string
	// Generated is the sentence by which files of a user's template are known: "Code generated
	// by informer-gen from roles.yaml.tmpl. DO NOT EDIT." Go files have it above their package
	// clause; others must have it, in a comment that is a line of its own.
	Generated string
	// Reserved are names that the package declares, in any of its files, and
	// that no import may have therefore.
	// It may be shared among the files of the package.
	Reserved map[string]bool

	imports *imports
}

// Use imports the package of an identifier and returns the identifier qualified, as in
// Use "k8s.io/client-go/rest.Config". Packages of the table Libraries are called by their names:
// Use "cache.Indexer". An identifier that such a package does not have in the table is an error.
func (f *File) Use(name string) (string, error) {
	imp, identifier, err := lookup(name)
	if err != nil {
		return "", err
	}
	return f.Ref(imp, identifier)
}

// Ref imports a package, unless the file is in it, and returns an identifier of it, qualified. No
// package and what is no identifier are errors.
func (f *File) Ref(imp Import, identifier string) (string, error) {
	switch {
	case imp.Path == "":
		return "", fmt.Errorf("%s: there is no such package here", identifier)
	case !token.IsIdentifier(identifier):
		return "", fmt.Errorf("%s: %q is no identifier", imp.Path, identifier)
	case imp.Path == f.Path:
		return identifier, nil
	}
	return f.imports.add(imp) + "." + identifier, nil
}

// ClientType returns the Go type of what informers list and watch with.
func (f *File) ClientType() (string, error) {
	if f.Run.HasClientset() {
		return f.Ref(f.Run.Clientset, "Interface")
	}
	name, err := f.Use("source.Client")
	return "*" + name, err
}

// Run is one factory with all that belongs to it. A run over internal versions as well has two.
type Run struct {
	// Clientset is the package of the clientset that informers list and watch with, or without a
	// path if objects come over REST and no clientset is needed.
	Clientset Import `json:",omitzero"`
	// Informers, Listers and Clients are the packages at the top of each.
	Informers, Listers, Clients Import
	// SkipListers says that the listers are there already, and Minimal that what only callers of
	// older factories need is left out. There is no package Internal then.
	SkipListers, Minimal bool
	// Groups are sorted by the path of their package.
	Groups []*Group `json:"-"`
}

// HasClientset reports whether objects come from a clientset.
func (r *Run) HasClientset() bool { return r.Clientset.Path != "" }

// HasInformerName reports whether factories have InformerName, as code-generator's have since 0.36.
func (*Run) HasInformerName() bool { return isSince("0.36") }

// Internal is the package of the internal interfaces.
func (r *Run) Internal() Import {
	return r.Informers.Join("internalinterfaces", "internalinterfaces")
}

// WithInformers are the groups that have one.
func (r *Run) WithInformers() []*Group {
	return only(r.Groups, func(g *Group) bool { return len(g.WithInformers()) > 0 })
}

// WithClients are the groups that have one.
func (r *Run) WithClients() []*Group {
	return only(r.Groups, func(g *Group) bool { return len(g.WithClients()) > 0 })
}

// Offers reports whether the factory has a method that code-generator's factories do not
// have. If a group has that name, the method is the group's, as in code-generator's output.
func (r *Run) Offers(method string) bool {
	return !slices.ContainsFunc(r.WithInformers(), func(group *Group) bool { return group.GoName == method })
}

// Base is the operand on which the factory calls a method of its embedded factory: itself, unless a group
// has that name.
func (r *Run) Base(method string) string {
	if r.Offers(method) {
		return "f"
	}
	return "f.Factory"
}

// Group is an API group.
type Group struct {
	Run *Run
	// Name is the group's name in the API; empty for the core group.
	Name string
	// GoName is the method of the factory that leads to it: Apps.
	GoName string
	// Dir is its directory below that of informers or clients, and PackageName the name of its
	// packages there.
	Dir, PackageName string
	// Versions are sorted by name.
	Versions []*Version `json:"-"`
}

// Informers is the package of the group's informers.
func (g *Group) Informers() Import { return g.Run.Informers.Join(g.Dir, g.PackageName) }

// Clients is that of its clients.
func (g *Group) Clients() Import { return g.Run.Clients.Join(g.Dir, g.PackageName) }

// WithInformers are the versions that have one.
func (g *Group) WithInformers() []*Version {
	return only(g.Versions, func(v *Version) bool { return len(v.WithInformer()) > 0 })
}

// WithClients are the versions that have one.
func (g *Group) WithClients() []*Version {
	return only(g.Versions, func(v *Version) bool { return len(v.WithClient()) > 0 })
}

// Version is a version of a group.
type Version struct {
	Group *Group
	// Name is its name in the API.
	Name string
	// GoName is the method of the group that leads to it: V1.
	GoName string
	// Dir is its directory below that of the group, and the name of its packages.
	Dir string
	// Types are sorted by their names in the API.
	Types []*Type `json:"-"`
}

// Informers is the package of the version's informers.
func (v *Version) Informers() Import { return v.Group.Informers().Join(v.Dir, v.Dir) }

// Listers is that of its listers.
func (v *Version) Listers() Import {
	return v.Group.Run.Listers.Join(strings.ToLower(v.Group.Dir), "").Join(v.Dir, v.Dir)
}

// Clients is that of its clients.
func (v *Version) Clients() Import { return v.Group.Clients().Join(v.Dir, v.Dir) }

// WithInformer are the types that have one.
func (v *Version) WithInformer() []*Type {
	return only(v.Types, func(t *Type) bool { return t.HasInformer })
}

// WithClient are the types that have one.
func (v *Version) WithClient() []*Type {
	return only(v.Types, func(t *Type) bool { return t.HasClient })
}

// Unexpanded are the types whose listers have no hand-written expansion.
func (v *Version) Unexpanded() []*Type {
	return only(v.Types, func(t *Type) bool { return t.HasLister && !t.HasExpansion })
}

// only returns what of a slice is to be kept.
func only[T any](all []T, keep func(T) bool) []T {
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !keep(one) })
}

// Type is an API type, with all its names.
type Type struct {
	Version *Version
	// Name is the Go type, and Kind the kind in the API: Order. They differ for slim types.
	Name, Kind string
	// Ident is the part of exported names that stands for the type: Order.
	Ident string
	// Private is the start of unexported names: order.
	Private string
	// Plural is the name of accessors: Orders.
	Plural string
	// Resource is the plural name in the API: orders.
	Resource string
	// Singular is the name in NotFound errors of a lister, as of code-generator's: order.
	Singular string
	// ClientAccessor leads from a clientset to the type's version: "ShopV1()".
	ClientAccessor string `json:",omitempty"`
	// Doc is the first sentence of the type's comment, or empty.
	Doc string `json:",omitempty"`
	// API is the package of the type.
	API Import
	// Slim is the full type of a slim type, with its import path, and empty for others.
	Slim string `json:",omitempty"`
	// Namespaced is false for what has no namespace.
	Namespaced bool
	// HasInformer, HasLister and HasClient say what is generated for it. What can't be got by
	// name has no lister.
	HasInformer, HasLister, HasClient bool
	// HasExpansion says that a hand-written file declares the interfaces that its lister embeds.
	HasExpansion bool `json:",omitempty"`
	// List is the Go type of a list of the kind, or empty if there is none.
	List string `json:",omitempty"`
	// Verbs are the methods that a client of it can have: create, updateStatus, ….
	Verbs []string
	// Indexes are those that markers ask for, sorted by method.
	Indexes []Index `json:",omitempty"`
	// Markers are those in the type's comment, and PackageMarkers those of its package, by the
	// name before the first "=", without "+": the values that each has, in order, which are
	// empty where there is no "=".
	Markers, PackageMarkers map[string][]string
}

// Can reports whether the client of the type has a verb.
func (t *Type) Can(verb string) bool { return slices.Contains(t.Verbs, verb) }

// OwnIndexes reports whether its indexes are declared beside the informer: no lister is generated.
func (t *Type) OwnIndexes() bool {
	return len(t.Indexes) > 0 && (!t.HasLister || t.Version.Group.Run.SkipListers)
}

// FileName is the file of the type, which must not be one of the others in its
// directory, nor end as those do that are only for tests or for some systems.
func (t *Type) FileName() string {
	name := strings.ReplaceAll(strings.ToLower(t.Ident), "_", "-")
	if name == "interface" || name == "constructors" {
		name += "_kind"
	}
	return name + ".go"
}

// DocLines returns Doc as lines of no more than 100 letters, if its words allow.
func (t *Type) DocLines() []string {
	var lines []string
	for word := range strings.FieldsSeq(t.Doc) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+len(word) < 100 {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Index is an index of a type.
type Index struct {
	// Method is that of the lister: ByNodeName.
	Method string
	// Name is the name in indexers: byNodeName.
	Name string
	// Of says what objects are found by: Spec.NodeName, or ZoneOf.
	Of string
	// Several is true if an object can have no value, or several.
	Several bool
	// Func is the function of the API package that returns the values. It is empty if they
	// are those of a field.
	Func string
	// Blocks are the lines that begin the blocks around Value, from the outside to the inside.
	Blocks []string
	// Value is the expression of a value of the object obj, or of several strings: a slice,
	// and "...".
	Value string
	// Key is the type of the values, and KeyKind what it is made of.
	Key     GoType
	KeyKind KeyKind
}

// GoType is a named type. Those that Go declares have no package.
type GoType struct {
	Package Import
	Name    string
}

// A KeyKind says how the values of an index become text.
type KeyKind string

// The kinds of values.
const (
	StringKey KeyKind = "string"
	IntKey    KeyKind = "int"
	UintKey   KeyKind = "uint"
	BoolKey   KeyKind = "bool"
)

// KeyType returns the Go type of the values of an index.
func (f *File) KeyType(x Index) (string, error) {
	if x.Key.Package.Path == "" {
		return x.Key.Name, nil
	}
	return f.Ref(x.Key.Package, x.Key.Name)
}

// Text returns an expression of an index's values as a string.
func (f *File) Text(x Index, value string) (string, error) {
	switch x.KeyKind {
	case IntKey:
		format, err := f.Use("strconv.FormatInt")
		return fmt.Sprintf("%s(%s, 10)", format, x.as("int64", value)), err
	case UintKey:
		format, err := f.Use("strconv.FormatUint")
		return fmt.Sprintf("%s(%s, 10)", format, x.as("uint64", value)), err
	case BoolKey:
		format, err := f.Use("strconv.FormatBool")
		return fmt.Sprintf("%s(%s)", format, x.as("bool", value)), err
	}
	return x.as("string", value), nil
}

// as converts a value to a type that Go declares, if it is of another one.
func (x Index) as(name, value string) string {
	if x.Key == (GoType{Name: name}) {
		return value
	}
	return name + "(" + value + ")"
}

// DeepCopy are the methods of one struct.
type DeepCopy struct {
	// Name is the Go type.
	Name string
	// Into, Copy and Object say whether DeepCopyInto, DeepCopy and DeepCopyObject are
	// written.
	Into, Copy, Object bool
	// Steps are the lines of DeepCopyInto after it has copied the struct itself.
	Steps []CopyStep
}

// A CopyStep is a line of Go. If Clone is slices or maps, the line ends with a call of that package's
// Clone for Of.
type CopyStep struct{ Line, Clone, Of string }
