package collect

import (
	"cmp"
	"go/token"
	"iter"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/fields"
	"github.com/informer-gen/informer-gen/templates"
)

// Model describes the API packages: plain data, and all names that
// generated code needs. Everything in it is sorted.
type Model struct {
	// Groups are those to generate, sorted by Dir.
	Groups []*Group
	// Skipped are the types that look like API types and are left out.
	Skipped []Skip
	// Copies are the packages of slim types, sorted by import path.
	Copies []*fields.Copies
}

// Group is an API group.
type Group struct {
	// Group has its names and versions. Its Run is set when it is known where output goes.
	templates.Group
	// Kinds are the kinds of every version, sorted by version and kind.
	Kinds []*Kind
	// Shared is another group that would have its GoName or Dir, or empty.
	Shared string
	// Internal is true for one of internal versions.
	Internal bool
	// Pos is where the group is named.
	Pos token.Position

	marked    bool           // +groupGoName gave GoName
	clientset bool           // a clientset has the group's name already
	namedAt   token.Position // the place that gave GoName
}

// Kind is an API type.
type Kind struct {
	// Type has its names and what else templates see of it. Ident is its Kind, or a longer
	// name if another kind has names made of it.
	templates.Type
	// Indexes are those that markers ask for, sorted by method.
	Indexes []Index
	// Pos is where it is declared, and Dir the directory of its Go package.
	Pos token.Position
	Dir string

	goType string // import path and name of the type, after aliases
}

// Index is an index that a marker asks for.
type Index struct {
	templates.Index
	// Pos is where the marker is.
	Pos token.Position
}

// Methods are the names of the lister's methods.
func (x Index) Methods() []string { return []string{x.Method, "All" + x.Method} }

// Skip is a type, or a whole package, that nothing is generated for.
type Skip struct {
	// Name is the type, or empty for a package.
	Name string
	// Package is the import path.
	Package string
	// Reason says why, and what would help.
	Reason string
	// Explicit is true if a marker or an option says to skip it.
	Explicit bool
	// Pos is where it is.
	Pos token.Position
}

// Kinds iterates over all kinds with their groups, in order.
func (m *Model) Kinds() iter.Seq2[*Group, *Kind] {
	return func(yield func(*Group, *Kind) bool) {
		for _, group := range m.Groups {
			for _, kind := range group.Kinds {
				if !yield(group, kind) {
					return
				}
			}
		}
	}
}

// names are the names of all types that were found, also of skipped ones.
func (m *Model) names() []string {
	var names []string
	for _, kind := range m.Kinds() {
		names = append(names, kind.Name, kind.Kind)
	}
	for _, skip := range m.Skipped {
		names = append(names, skip.Name)
	}
	return names
}

func comparePositions(a, b token.Position) int {
	return cmp.Or(strings.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
