package main

import (
	"errors"
	"fmt"
	"go/scanner"
	"io"
	"runtime/debug"

	"github.com/informer-gen/informer-gen/generators"
)

// report prints what a run found or did.
func report(f *flags, result generators.Result, w io.Writer) error {
	switch {
	case f.options.Mode == generators.List && f.format == "json":
		return generators.WriteJSON(w, result.Model.Rows())
	case f.options.Mode == generators.List:
		return generators.WriteTable(w, result.Model.Rows())
	case f.options.Mode == generators.Verify:
		_, err := io.WriteString(w, result.Diff)
		return err
	}
	count := map[generators.ChangeKind]int{}
	for _, change := range result.Changes {
		count[change.Kind]++
	}
	unchanged := result.Files - count[generators.Created] - count[generators.Updated]
	_, err := fmt.Fprintf(w, "%d files: %d created, %d updated, %d unchanged; %d stale files removed\n",
		result.Files, count[generators.Created], count[generators.Updated], unchanged, count[generators.Removed])
	return err
}

// printError prints an error, one line for each problem with a position.
func printError(w io.Writer, err error) {
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		scanner.PrintError(w, list)
		return
	}
	fmt.Fprintln(w, "informer-gen:", err)
}

// version is that of the module, and the commit if it was built in a checkout.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "informer-gen (unknown version)"
	}
	text := "informer-gen " + info.Main.Version
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			text += " " + setting.Value
		}
	}
	return text + " " + info.GoVersion
}
