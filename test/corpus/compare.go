package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// row is a type that informer-gen --list -o json prints.
type row struct {
	Group, Version, Kind, Resource, Scope, Position, Skipped string
	Informer                                                 bool
}

// result is the result of informer-gen for a project.
type result struct {
	project
	types, right     int
	wrong, missed    []string // with a place each
	extra            []string
	seconds, megabyt float64
	refused          string // why it was not looked at
}

// compare sorts the types found by what the project says of them.
func compare(p project, output []byte, say truth) (result, error) {
	var rows []row
	if err := json.Unmarshal(output, &rows); err != nil {
		return result{}, fmt.Errorf("%s: %w", p.module, err)
	}
	r := result{project: p}
	kinds, plurals := maps.Clone(say.byKind), maps.Clone(say.byPlural)
	for _, row := range rows {
		if row.Skipped != "" || !row.Informer {
			continue
		}
		r.types++
		name := row.Group + "/" + row.Version + "/" + row.Kind
		want, known := say.byKind[name]
		plural := row.Group + "/" + strings.ToLower(row.Version) + "/" + row.Resource
		_, listed := say.byPlural[plural]
		delete(kinds, name)
		delete(plurals, plural)
		switch {
		case known && (want.plural != row.Resource || want.namespaced != (row.Scope == "Namespaced")):
			r.wrong = append(r.wrong, fmt.Sprintf("%s: %s, %s; %s says %s", name, row.Resource, row.Scope, want.where, want.plural))
		case known || listed:
			r.right++
		default:
			r.extra = append(r.extra, name)
		}
	}
	for name, want := range kinds {
		r.missed = append(r.missed, name+" ("+want.where+")")
	}
	for name, where := range plurals {
		r.missed = append(r.missed, name+" ("+where+")")
	}
	r.missed = slices.DeleteFunc(r.missed, p.isKnown)
	slices.Sort(r.missed)
	slices.Sort(r.extra)
	return r, nil
}
