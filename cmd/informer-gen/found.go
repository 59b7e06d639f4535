package main

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/informer-gen/informer-gen/generators"
)

// changeRow is a file that --verify reports, or that a run has changed, as an object of the array in the
// format json.
type changeRow struct {
	// File is relative to the working directory.
	File string `json:"file"`
	// Change is "create" for a file that is missing, "update" for one that differs, and
	// "remove" for one that is stale.
	Change string `json:"change"`
	// Diff is a unified diff. Only --verify has it.
	Diff string `json:"diff,omitempty"`
}

// printFound prints what the user asked for.
func printFound(w io.Writer, f *flags, result generators.Result) error {
	switch {
	case f.options.List && f.format == formatJSON:
		return writeJSON(w, result.Types, "  ")
	case f.options.List:
		return result.WriteTable(w)
	case f.format == formatJSON:
		rows := []changeRow{}
		for _, change := range result.Changes {
			row := changeRow{File: filepath.ToSlash(change.Path), Change: change.Kind}
			if f.options.Verify {
				row.Diff = change.Diff()
			}
			rows = append(rows, row)
		}
		return writeJSON(w, rows, "")
	case !f.options.Verify || len(result.Changes) == 0:
		return nil
	}
	text := result.Diff()
	if f.format == formatGitHub {
		// GitHub takes no line of a diff, whose text anybody may have written, for a command.
		token := rand.Text()
		text = "::stop-commands::" + token + "\n" + text + "::" + token + "::\n"
	}
	_, err := io.WriteString(w, text)
	return err
}

// writeJSON writes a value, on one line if there is no indent.
func writeJSON(w io.Writer, value any, indent string) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", indent)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}
