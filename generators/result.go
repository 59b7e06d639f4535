package generators

import (
	"cmp"
	"context"
	"fmt"
	"go/scanner"
	"io"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/templates"
)

// Result says what a run found and did, or with Options.Verify would do.
type Result struct {
	// Types are those that were found in the API packages, the skipped ones last. It is nil
	// if the packages could not be read.
	Types []Row
	// Warnings are problems that did not stop the run.
	Warnings scanner.ErrorList
	// OtherModules is the number of other modules below the patterns that have API types.
	// Like the go command, the generator does not read them.
	OtherModules int
	// Next is the command that completes go.mod for the generated code, or empty.
	Next string
	// Files is the number of files that were generated.
	Files int
	// Changes are those that were made, or with Options.Verify that a run without it would make,
	// sorted by path.
	Changes []Change

	model *collect.Model
}

// Change is a change of one file. Its Path is relative to the working directory. Its Kind is "create" for a
// file that does not exist yet, "update" for new content, and "remove" for a file of an earlier run whose API
// type no longer exists.
type Change = output.Change

// run has the state that the steps of a run share.
type run struct {
	ctx     context.Context
	options *Options
	loader  *load.Loader
	// templates are the users'.
	templates []*templates.Template
	// to and runs are set once the model is complete.
	to   targets
	runs []*templates.Run
	Result
}

// Row is one line of a list: a type that something is generated for, or a type
// that was skipped.
type Row struct {
	// Group, Version and Kind are the names in the API; Group is empty for the core group.
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	// Resource is the plural name in the API, and Scope Namespaced or Cluster.
	Resource string `json:"resource,omitempty"`
	Scope    string `json:"scope,omitempty"`
	// Verbs are the methods that a client of the type has.
	Verbs []string `json:"verbs,omitempty"`
	// Informer, Lister and Client say what is generated.
	Informer bool `json:"informer"`
	Lister   bool `json:"lister"`
	Client   bool `json:"client"`
	// Package is the import path of the type's package.
	Package string `json:"package"`
	// Indexes are the methods by which its lister finds objects: ByNodeName.
	Indexes []string `json:"indexes,omitempty"`
	// Slim is the full type of a slim type, with its import path.
	Slim string `json:"slim,omitempty"`
	// Position is where the type is declared: file:line:column.
	Position string `json:"position"`
	// Templates lists which of Options.Templates make a file for it.
	Templates []string `json:"templates,omitempty"`
	// Data has all that templates see of it. Only Options.List sets it and Templates, and if it is not
	// known where output would go, Data is nil.
	Data *templates.Type `json:"data,omitempty"`
	// Skipped says why nothing is generated, and is empty otherwise.
	Skipped string `json:"skipped,omitempty"`
}

// rows lists what is in a model, the skipped types last, and which of the files are a user's.
func rows(m *collect.Model, files []output.File) []Row {
	rows := []Row{}
	byType := map[*templates.Type][]string{}
	for _, file := range files {
		if of := file.Data.Type; of != nil && file.Users {
			byType[of] = append(byType[of], file.Template.Name)
		}
	}
	for group, kind := range m.Kinds() {
		scope := "Cluster"
		if kind.Namespaced {
			scope = "Namespaced"
		}
		var indexes []string
		for _, x := range kind.Indexes {
			indexes = append(indexes, x.Method)
		}
		rows = append(rows, Row{
			Group: group.Name, Version: kind.Version.Name, Kind: kind.Kind, Resource: kind.Resource, Scope: scope, Verbs: kind.Verbs,
			Informer: kind.HasInformer, Lister: kind.HasLister, Client: kind.HasClient, Package: kind.API.Path, Indexes: indexes, Slim: kind.Slim, Position: kind.Pos.String(),
			Templates: byType[&kind.Type],
		})
		if group.Run != nil {
			rows[len(rows)-1].Data = &kind.Type
		}
	}
	for _, skip := range m.Skipped {
		rows = append(rows, Row{Version: path.Base(skip.Package), Kind: skip.Name, Package: skip.Package, Position: skip.Pos.String(), Skipped: skip.Reason})
	}
	return rows
}

// WriteTable writes the types as a table for people, with the skipped ones in one of
// their own below it.
func (r *Result) WriteTable(w io.Writer) error {
	found := [][]string{{"GROUP", "VERSION", "KIND", "RESOURCE", "SCOPE", "GENERATED", "WHERE"}}
	skipped := [][]string{{"SKIPPED", "WHERE", "WHY"}}
	for _, row := range r.Types {
		if row.Skipped != "" {
			skipped = append(skipped, []string{row.Kind, row.Position, row.Skipped})
			continue
		}
		group := cmp.Or(row.Group, "(core)")
		found = append(found, []string{group, row.Version, row.Kind, row.Resource, row.Scope, row.generated(), row.where()})
	}
	between := ""
	for _, table := range [][][]string{found, skipped} {
		if len(table) == 1 {
			continue
		}
		text := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprint(text, between)
		for _, line := range table {
			fmt.Fprintln(text, strings.Join(line, "\t"))
		}
		if err := text.Flush(); err != nil {
			return err
		}
		between = "\n"
	}
	return nil
}

// where is the position, and for a slim type the full one.
func (r Row) where() string {
	if r.Slim == "" {
		return r.Position
	}
	return r.Position + " (slim " + r.Slim + ")"
}

func (r Row) generated() string {
	var parts []string
	for _, part := range []struct {
		name      string
		generated bool
	}{{"informer", r.Informer}, {"lister", r.Lister}, {"client", r.Client}} {
		if part.generated {
			parts = append(parts, part.name)
		}
	}
	return strings.Join(append(parts, r.Templates...), ", ")
}

// summary says how much is in the model.
func summary(m *collect.Model) string {
	kinds := 0
	for range m.Kinds() {
		kinds++
	}
	return fmt.Sprintf("%s, %d skipped", diag.Count(kinds, "type"), len(m.Skipped))
}

// Diff returns the changes as a unified diff, with a line about each file.
func (r *Result) Diff() string {
	what := map[string]string{output.Created: "missing: ", output.Updated: "differs: ", output.Removed: "stale: "}
	var b strings.Builder
	for _, change := range r.Changes {
		b.WriteString(what[change.Kind] + change.Path + "\n" + change.Diff())
	}
	return b.String()
}
