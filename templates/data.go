package templates

import (
	"fmt"
	"slices"
	"strings"
)

// File is the part of the data that every template has.
type File struct {
	// Package is the name in the package clause.
	Package string
	// Reserved are names that the package declares, in any of its files, and
	// that no import may have therefore.
	// It may be shared among the files of the package.
	Reserved map[string]bool

	imports *imports
}

func (f *File) file() *File { return f }

// PackageName returns the name in the package clause.
func (f *File) PackageName() string { return f.Package }

// Use imports the package of an identifier of the table Libraries and returns
// the identifier qualified: Use("cache.Indexer"). An identifier that is not in
// the table is an error.
func (f *File) Use(name string) (string, error) {
	imp, identifier, ok := lookup(name)
	if !ok {
		return "", fmt.Errorf("identifier %q: not in the table of identifiers", name)
	}
	return f.Ref(imp, identifier), nil
}

// Ref imports a package and returns an identifier of it, qualified.
func (f *File) Ref(imp Import, identifier string) string {
	return f.imports.add(imp) + "." + identifier
}

// Client says what informers list and watch with.
type Client struct {
	// Clientset is the package of the clientset, or without a path if objects
	// come over REST and no clientset is needed.
	Clientset Import
}

// HasClientset reports whether objects come from a clientset.
func (c Client) HasClientset() bool { return c.Clientset.Path != "" }

// ClientType returns the Go type of the client.
func (f *File) ClientType(c Client) (string, error) {
	if c.HasClientset() {
		return f.Ref(c.Clientset, "Interface"), nil
	}
	name, err := f.Use("source.Client")
	return "*" + name, err
}

// Factory is the data of factory.go.tmpl: the shared informer factory and its
// options.
type Factory struct {
	File
	// Client says what informers list and watch with.
	Client Client
	// Internal is the package of the internal interfaces.
	Internal Import
	// Groups are sorted by the path of their package.
	Groups []GroupAccessor
	// Minimal leaves out what only callers of older factories need. There is no package
	// Internal then.
	Minimal bool
}

// GroupAccessor is the method of the factory that leads to a group.
type GroupAccessor struct {
	// Name is the name of the method.
	Name string
	// Group is the API group.
	Group string
	// Package is the generated package of the group.
	Package Import
}

// Offers reports whether the factory has a method that code-generator's factories do not
// have. If a group has that name, the method is the group's, as in code-generator's output.
func (f *Factory) Offers(method string) bool {
	return !slices.ContainsFunc(f.Groups, func(group GroupAccessor) bool { return group.Name == method })
}

// Base is the operand on which the factory calls a method of its embedded factory: itself, unless a group
// has that name.
func (f *Factory) Base(method string) string {
	if f.Offers(method) {
		return "f"
	}
	return "f.Factory"
}

// Generic is the data of generic.go.tmpl: informers by resource.
type Generic struct {
	File
	// Versions are sorted by group and version.
	Versions []GenericVersion
}

// GenericVersion is a group and version with its resources.
type GenericVersion struct {
	// Group and Version are their names in the API.
	Group, Version string
	// Accessor leads from the factory to the version: "Apps().V1()".
	Accessor string
	// Resources are sorted by accessor.
	Resources []GenericResource
}

// GenericResource is a resource and the method that leads to its informer.
type GenericResource struct {
	// Name is the plural name in the API.
	Name string
	// Accessor is the name of the version's method.
	Accessor string
}

// InternalInterfaces is the data of internalinterfaces.go.tmpl: the types that
// the generated packages share.
type InternalInterfaces struct {
	File
	// Client says what informers list and watch with.
	Client Client
}

// Group is the data of group.go.tmpl: the versions of a group.
type Group struct {
	File
	// Group is the API group.
	Group  string
	Client Client
	// Internal is the package of the internal interfaces, which a minimal factory has not.
	Internal Import
	// Minimal is that of the factory.
	Minimal bool
	// Versions are sorted by name.
	Versions []VersionAccessor
}

// VersionAccessor is the method of a group that leads to a version.
type VersionAccessor struct {
	// Name is the name of the method.
	Name string
	// Package is the generated package of the version.
	Package Import
}

// Version is the data of version.go.tmpl: the shared informers of a version.
type Version struct {
	File
	// Group and Version are their names in the API.
	Group, Version string
	Client         Client
	// Internal is the package of the internal interfaces.
	Internal Import
	// Listers is the package of the listers of this version.
	Listers Import
	// Minimal makes informers here, and not by the functions of constructors.go.
	Minimal bool
	// Kinds are those with an informer, sorted by name.
	Kinds []Kind
}

// Constructors is the data of constructors.go.tmpl: what makes informers of a
// version apart from a factory, and types untyped ones.
type Constructors Version

// Kind is an API type, with all its names.
type Kind struct {
	// Name is the Go type: Order.
	Name string
	// Ident is the part of exported names that stands for the kind: Order.
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
	ClientAccessor string
	// Doc is the first sentence of the type's comment, or empty.
	Doc string
	// API is the package of the type.
	API Import
	// Namespaced is false for what has no namespace.
	Namespaced bool
	// HasLister is false for what can't be got by name.
	HasLister bool
	// List is the Go type of a list of the kind, or empty if there is none.
	List string
	// Verbs are the methods of its client: create, updateStatus, ….
	Verbs []string
	// Indexes are those that markers ask for, sorted by method.
	Indexes []Index
	// OwnIndexes declares them beside the informer: no lister is generated.
	OwnIndexes bool
}

// Can reports whether the client of the kind has a verb.
func (k Kind) Can(verb string) bool { return slices.Contains(k.Verbs, verb) }

// DocLines returns Doc as lines of no more than 100 letters, if its words allow.
func (k Kind) DocLines() []string {
	var lines []string
	for word := range strings.FieldsSeq(k.Doc) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+len(word) < 100 {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Informer is the data of informer.go.tmpl: the types of the informer of one
// kind.
type Informer struct {
	File
	Kind
	// Listers is the package of the listers of this version.
	Listers Import
	// Minimal leaves out the untyped informer.
	Minimal bool
}

// Lister is the data of lister.go.tmpl: the lister of one kind.
type Lister struct {
	File
	Kind
	// Group is the API group.
	Group string
	// Expanded adds the methods of its expansion interfaces.
	Expanded bool
}

// Expansions is the data of expansions.go.tmpl: the empty interfaces that a
// hand-written file may replace.
type Expansions struct {
	File
	// Kinds are those without a hand-written expansion, sorted by name.
	Kinds []Kind
}

// Index is an index of a kind.
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
	// Blocks are around Value, from the outside to the inside.
	Blocks []IndexBlock
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

// An IndexBlock is a block in which an index computes values.
type IndexBlock struct {
	Form IndexForm
	// Of is a pointer, a slice, an array or a map. Variable is the place in a slice or an
	// array, or the value in a map.
	Of, Variable string
}

// An IndexForm says what a block does.
type IndexForm string

// The forms of blocks.
const (
	// IndexPointer is entered if a pointer is not nil.
	IndexPointer IndexForm = "pointer"
	// IndexElements is entered for each place in a slice or an array.
	IndexElements IndexForm = "elements"
	// IndexEntries is entered for each value of a map.
	IndexEntries IndexForm = "entries"
)

// KeyType returns the Go type of the values of an index.
func (f *File) KeyType(x Index) string {
	if x.Key.Package.Path == "" {
		return x.Key.Name
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

// DeepCopies is the data of deepcopies.go.tmpl: the methods that make API objects of the
// structs of a package.
type DeepCopies struct {
	File
	// Types are sorted by name.
	Types []DeepCopy
}

// DeepCopy are the methods of one struct.
type DeepCopy struct {
	// Name is the Go type.
	Name string
	// Into, Copy and Object say whether DeepCopyInto, DeepCopy and DeepCopyObject are
	// written.
	Into, Copy, Object bool
	// Steps are taken by DeepCopyInto after it has copied the struct itself.
	Steps []CopyStep
}

// A CopyStep is a line of DeepCopyInto, or the lines at the end of a block.
type CopyStep struct {
	Form CopyForm
	// From is copied, and To is the copy, in which the step replaces what both share.
	From, To string
	// Key, Value and Copied are variables of a block.
	Key, Value, Copied string
}

// A CopyForm says what a step does.
type CopyForm string

// The forms of steps.
const (
	// CopyInto calls the method DeepCopyInto.
	CopyInto CopyForm = "into"
	// CopySlice and CopyMap copy a slice or map with its elements as they are.
	CopySlice CopyForm = "slice"
	CopyMap   CopyForm = "map"
	// CopyPointer begins a block in which Copied is the value that a pointer points to.
	CopyPointer CopyForm = "pointer"
	// CopyElements begins a block for each Key of a slice or an array.
	CopyElements CopyForm = "elements"
	// CopyEntries begins a block for each Key and Value of a map, in which Copied is a copy
	// of Value; CopyEntriesEnd puts that into the map and ends the block.
	CopyEntries    CopyForm = "entries"
	CopyEntriesEnd CopyForm = "entries end"
	// CopyEnd ends another block.
	CopyEnd CopyForm = "end"
)

// Clients is the data of clients.go.tmpl: typed clients of all groups, which write.
type Clients struct {
	File
	// Groups are sorted by the path of their package.
	Groups []GroupAccessor
}

// ClientsGroup is the data of clientsgroup.go.tmpl: the clients of a group.
type ClientsGroup struct {
	File
	// Group is the API group.
	Group string
	// Versions are sorted by name.
	Versions []VersionAccessor
}

// ClientsVersion is the data of clientsversion.go.tmpl: the clients of a version.
type ClientsVersion struct {
	File
	// Group and Version are their names in the API.
	Group, Version string
	// Kinds are those with a client, sorted by name.
	Kinds []Kind
}

// KindClient is the data of kindclient.go.tmpl: the interface of one kind's client.
type KindClient struct {
	File
	Kind
}
