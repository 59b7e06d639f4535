package generators

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write what the tests find as what they want")

// TestCollect runs every testdata/*.txtar. Its comment says in prose what it
// shows; a line in it that begins with "flags:" holds, separated by spaces, a
// clientset (clientset=…), plural exceptions (plural=…), lint rules (lint=…) and
// patterns, ./... being the default. Its files make a module; the last one,
// "want", is what --list prints: warnings, errors, then the table.
func TestCollect(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatalf("no test cases: %v", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			options := scriptOptions(t, string(archive.Comment))
			options.Dir = t.TempDir()
			want := ""
			for _, file := range archive.Files {
				if file.Name == "want" {
					want = string(file.Data)
					continue
				}
				writeFile(t, filepath.Join(options.Dir, file.Name), string(file.Data))
			}
			got := outcome(options)
			if *update {
				archive.Files = append(archive.Files[:len(archive.Files)-1], txtar.File{Name: "want", Data: []byte(got)})
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got; -update writes it):\n%s", name, diff)
			}
		})
	}
}

func scriptOptions(t *testing.T, comment string) Options {
	t.Helper()
	options := Options{Patterns: []string{"./..."}, Mode: List}
	for line := range strings.Lines(comment) {
		text, ok := strings.CutPrefix(line, "flags:")
		if !ok {
			continue
		}
		for _, word := range strings.Fields(text) {
			key, value, _ := strings.Cut(word, "=")
			switch key {
			case "clientset":
				options.VersionedClientset = value
			case "internal":
				options.InternalClientset = value
			case "plural":
				options.PluralExceptions = append(options.PluralExceptions, value)
			case "lint":
				options.LintRules = append(options.LintRules, value)
			default:
				options.Patterns = []string{word}
			}
		}
	}
	return options
}

// outcome is what a run finds, as text. What can be listed must also compile as
// far as the parser can tell: it is rendered too.
func outcome(options Options) string {
	var out bytes.Buffer
	result, err := Run(options)
	for _, warning := range result.Warnings {
		fmt.Fprintf(&out, "warning: %v\n", warning)
	}
	if err != nil {
		return out.String() + errorText(err)
	}
	if err := WriteTable(&out, result.Model.Rows()); err != nil {
		return err.Error()
	}
	options.Mode, options.OutputPackage = Verify, "example.com/out/informers"
	result, err = Run(options)
	if !errors.Is(err, ErrDiffers) {
		return out.String() + errorText(err)
	}
	for _, group := range result.Model.Groups {
		for _, version := range group.Versions {
			fmt.Fprintf(&out, "%s/%s: %s().%s(), client %s\n", group.Dir, version.Dir, group.GoName, version.GoName, version.ClientAccessor)
		}
	}
	return out.String()
}

func errorText(err error) string {
	if list := (scanner.ErrorList)(nil); errors.As(err, &list) {
		var b strings.Builder
		for _, e := range list {
			fmt.Fprintf(&b, "error: %v\n", e)
		}
		return b.String()
	}
	return fmt.Sprintf("error: %v\n", err)
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
