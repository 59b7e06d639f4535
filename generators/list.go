package generators

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
)

// Row is one line of a list: a type that something is generated for, or one
// that was skipped.
type Row struct {
	Group    string   `json:"group"`
	Version  string   `json:"version"`
	Kind     string   `json:"kind"`
	Resource string   `json:"resource,omitempty"`
	Scope    string   `json:"scope,omitempty"`
	Verbs    []string `json:"verbs,omitempty"`
	Informer bool     `json:"informer"`
	Lister   bool     `json:"lister"`
	Package  string   `json:"package"`
	Position string   `json:"position"`
	// Skipped says why nothing is generated, and is empty otherwise.
	Skipped string `json:"skipped,omitempty"`
}

// Rows lists what is in a model, the skipped types last.
func (m *Model) Rows() []Row {
	rows := []Row{}
	m.kinds(func(group *Group, version *Version, kind *Kind) {
		scope := "Cluster"
		if kind.Namespaced {
			scope = "Namespaced"
		}
		rows = append(rows, Row{
			Group: group.Name, Version: version.Name, Kind: kind.Name, Resource: kind.Resource, Scope: scope, Verbs: kind.Verbs,
			Informer: kind.Informer, Lister: kind.Lister, Package: kind.Package, Position: kind.Pos.String(),
		})
	})
	for _, skip := range m.Skipped {
		rows = append(rows, Row{Version: path.Base(skip.Package), Kind: skip.Name, Package: skip.Package, Position: skip.Pos.String(), Skipped: skip.Reason})
	}
	return rows
}

// WriteJSON writes rows as a JSON array.
func WriteJSON(w io.Writer, rows []Row) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(rows)
}

// WriteTable writes rows as a table for people.
func WriteTable(w io.Writer, rows []Row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "GROUP\tVERSION\tKIND\tRESOURCE\tSCOPE\tGENERATED\tWHERE")
	for _, row := range rows {
		group := row.Group
		if group == "" && row.Skipped == "" {
			group = "(core)"
		}
		fmt.Fprintln(table, strings.Join([]string{
			dash(group), row.Version, row.Kind, dash(row.Resource), dash(row.Scope), row.generated(), row.Position,
		}, "\t"))
	}
	return table.Flush()
}

func (r Row) generated() string {
	if r.Skipped != "" {
		return "nothing: " + r.Skipped
	}
	var parts []string
	if r.Informer {
		parts = append(parts, "informer")
	}
	if r.Lister {
		parts = append(parts, "lister")
	}
	return strings.Join(slices.Clip(parts), ", ")
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}
