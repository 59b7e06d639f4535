package collect

import (
	"go/token"

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
	Copies []*Copies
}

// Group is an API group.
type Group struct {
	// Name is the group's name in the API; empty for the core group.
	Name string
	// GoName is the method of the factory that leads to it: Apps.
	GoName string
	// Dir is its directory below the output.
	Dir string
	// PackageName is the name of its Go package.
	PackageName string
	// Versions are sorted by name.
	Versions []*Version
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

// Version is one version of a group.
type Version struct {
	// Name is its name in the API.
	Name string
	// GoName is the method of the group that leads to it: V1.
	GoName string
	// Dir is its directory below that of the group, and its package name.
	Dir string
	// Kinds are sorted by their names in the API.
	Kinds []*Kind
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

// Kinds calls f for every kind, in order.
func (m *Model) Kinds(f func(*Group, *Version, *Kind)) {
	for _, group := range m.Groups {
		for _, version := range group.Versions {
			for _, kind := range version.Kinds {
				f(group, version, kind)
			}
		}
	}
}
