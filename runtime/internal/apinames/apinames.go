// Package apinames lists the exported names of a package with their types. A test compares each public
// package with its api.txt. The package also compares the names of two packages, for the tests of a package
// that must replace another one.
//
//	Listing(pkg)             ─► one line for each name
//	Compare(t, ours, theirs) ─► what ours lacks, what it adds, what differs
//
// Compare sees types: a function with other parameters differs, as does a struct with another field or a
// type without a method. A type of ours and the type of theirs with the same name count as the same type
// wherever they are mentioned.
package apinames

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Exceptions are the names in which a package may and must differ, separated by white space.
type Exceptions struct {
	// Missing are names that only theirs has.
	Missing string
	// Added are names that only ours has.
	Added string
	// Changed are names with another type.
	Changed string
}

// Compare reports an error for each exported name in which the package with the path ours differs from the
// package with the path theirs, unless it is an exception. It also reports each exception that does not
// differ.
func Compare(t *testing.T, ours, theirs string, except Exceptions) {
	t.Helper()
	for _, names := range []*string{&except.Missing, &except.Added, &except.Changed} {
		*names = strings.Join(slices.Sorted(strings.FieldsSeq(*names)), " ")
	}
	if diff := cmp.Diff(except, differences(t, ours, theirs)); diff != "" {
		t.Errorf("names that differ (-want +got):\n%s", diff)
	}
}

// differences returns the names in which two packages differ, in order.
func differences(t *testing.T, ours, theirs string) Exceptions {
	t.Helper()
	own, other := exported(load(t, ".", ours)[0].types, ours, theirs), exported(load(t, ".", theirs)[0].types, ours, theirs)
	all := maps.Clone(own)
	maps.Copy(all, other)
	var missing, added, changed []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		switch {
		case own[name] == "":
			missing = append(missing, name)
		case other[name] == "":
			added = append(added, name)
		case own[name] != other[name]:
			changed = append(changed, name)
			t.Logf("%s is\n%s\nand in %s\n%s", name, own[name], theirs, other[name])
		}
	}
	return Exceptions{strings.Join(missing, " "), strings.Join(added, " "), strings.Join(changed, " ")}
}

// exported lists each exported name of a package, without the names of parameters, and without the paths of
// the compared packages.
func exported(pkg *types.Package, compared ...string) map[string]string {
	all := map[string]string{}
	for _, name := range pkg.Scope().Names() {
		l := &listing{pkg: pkg, resolve: true, qualifier: func(p *types.Package) string {
			if slices.Contains(compared, p.Path()) {
				return ""
			}
			return p.Path()
		}}
		if obj := pkg.Scope().Lookup(name); obj.Exported() {
			l.object(obj)
			all[name] = strings.Join(l.sorted(), "\n")
		}
	}
	return all
}

// loaded is a package with its exports, as the compiler wrote them.
type loaded struct {
	path, dir string
	types     *types.Package
}

// load returns the packages that match the patterns in a directory, without packages that have tests only.
func load(t *testing.T, dir string, patterns ...string) []loaded {
	t.Helper()
	const format = "{{if .Export}}{{.ImportPath}}\t{{.Dir}}\t{{.Export}}\t{{.DepOnly}}{{end}}"
	command := exec.CommandContext(t.Context(), "go", append([]string{"list", "-export", "-deps", "-f", format}, patterns...)...)
	command.Dir, command.Stderr = dir, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	exports := map[string]string{}
	var matched []loaded
	for line := range strings.Lines(string(output)) {
		columns := strings.Split(strings.TrimSpace(line), "\t")
		exports[columns[0]] = columns[2]
		if columns[3] == "false" {
			matched = append(matched, loaded{path: columns[0], dir: columns[1]})
		}
	}
	imports := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for i, pkg := range matched {
		if matched[i].types, err = imports.Import(pkg.path); err != nil {
			t.Fatal(err)
		}
	}
	if len(matched) == 0 {
		t.Fatalf("%v: no packages", command)
	}
	return matched
}
