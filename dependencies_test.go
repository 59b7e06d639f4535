package policy

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

// released are the folders of the modules that users require, with the patterns of what they build.
var released = map[string][]string{
	".":          {"./cmd/...", "./generators/...", "./templates/...", "./runtime/..."},
	"operations": {"./..."},
}

// licences are those that a dependency may have, with words that only their texts have.
var licences = []struct {
	name string
	text *regexp.Regexp
}{
	{"Apache-2.0", regexp.MustCompile(`Apache License,?\s+Version 2\.0`)},
	{"BSD", regexp.MustCompile(`Redistribution and use in source and binary forms, with or\s+without`)},
	{"ISC", regexp.MustCompile(`Permission to use, copy, modify, and(/or)? distribute this software for any`)},
	{"MIT", regexp.MustCompile(`Permission is hereby granted, free of charge, to any person`)},
}

// refused are words of licences that oblige those who pass a program on.
var refused = regexp.MustCompile(`(?i)GNU (Affero |Lesser )?General Public|Mozilla Public License|Server Side Public|Business Source`)

// licencesIn returns the licences that a text has, sorted; none if it has a refused one.
func licencesIn(text string) []string {
	var names []string
	for _, licence := range licences {
		if licence.text.MatchString(text) && !refused.MatchString(text) {
			names = append(names, licence.name)
		}
	}
	return names
}

func TestLicencesIn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                     "[Apache-2.0]",
		"Permission is hereby granted, free of charge, to any person obtaining":                            "[MIT]",
		"Apache License Version 2.0 … Redistribution and use in source and binary forms, with or\nwithout": "[Apache-2.0 BSD]",
		"Permission to use, copy, modify, and distribute this software for any purpose":                    "[ISC]",
		"GNU Lesser General Public License … Permission is hereby granted, free of charge, to any person":  "[]",
		"All rights reserved.": "[]",
		"":                     "[]",
	} {
		if got := fmt.Sprint(licencesIn(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

// Every module that the generator or the runtime is built from has a licence that gives users the same
// rights as this module's licence.
func TestLicences(t *testing.T) {
	t.Parallel()
	modules := map[string]string{}
	for dir, patterns := range released {
		maps.Copy(modules, modulesOf(t, dir, patterns...))
	}
	delete(modules, module+"operations") // Go gives it the licence at the root
	if len(modules) < 30 {
		t.Errorf("%d modules, want all of them", len(modules))
	}
	for path, dir := range modules {
		if len(licencesOf(t, dir)) == 0 {
			t.Errorf("%s: no licence of the list in %s; see its terms, and add them or do without it", path, dir)
		}
	}
}

// licencesOf returns the licences of a module.
func licencesOf(t *testing.T, dir string) []string {
	t.Helper()
	var texts strings.Builder
	for _, pattern := range []string{"LICEN[CS]E*", "licen[cs]e*", "COPYING*"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			texts.Write(content)
		}
	}
	return licencesIn(texts.String())
}

// docs/results/dependencies.md has each direct dependency, with its licence and its users.
func TestDependenciesPage(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/results/dependencies.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `(.+)` \\| (.+) \\| (.+) \\| .+ \\|$").FindAllStringSubmatch(string(page), -1) {
		documented[row[1]] = row[2] + " | " + row[3]
	}
	direct, dirs := map[string]bool{}, map[string]string{}
	for dir := range released {
		maps.Copy(direct, directDependencies(t, dir))
		maps.Copy(dirs, modulesOf(t, dir, "-test", "./..."))
	}
	users := usersOf(t, direct)
	for path := range direct {
		want := strings.Join(licencesOf(t, dirs[path]), ", ") + " | " + users[path]
		if documented[path] != want {
			t.Errorf("docs/results/dependencies.md: %s: has %q, want %q", path, documented[path], want)
		}
		delete(documented, path)
	}
	for path := range documented {
		t.Errorf("docs/results/dependencies.md: %s is no direct dependency", path)
	}
}

// directDependencies are the modules of others that packages of a module import.
func directDependencies(t *testing.T, dir string) map[string]bool {
	t.Helper()
	mod, err := modfile.Parse("go.mod", []byte(read(t, dir+"/go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	paths := map[string]bool{}
	for _, require := range mod.Require {
		if !require.Indirect && require.Mod.Path+"/" != module {
			paths[require.Mod.Path] = true
		}
	}
	return paths
}

// usersOf says which parts of this project import each of some modules, or that only tests do.
func usersOf(t *testing.T, paths map[string]bool) map[string]string {
	t.Helper()
	found := map[string]map[string]bool{}
	for dir, patterns := range released {
		for _, line := range goList(t, dir, append([]string{`{{.ImportPath}} {{join .Imports " "}}`}, patterns...)...) {
			importer, imports, _ := strings.Cut(line, " ")
			for _, name := range strings.Fields(imports) {
				for path := range paths {
					if within(name, []string{path}) {
						if found[path] == nil {
							found[path] = map[string]bool{}
						}
						found[path][partOf(strings.TrimPrefix(importer, module))] = true
					}
				}
			}
		}
	}
	users := map[string]string{}
	for path := range paths {
		users[path] = strings.Join(slices.Sorted(maps.Keys(found[path])), ", ")
		if len(found[path]) == 0 {
			users[path] = "tests"
		}
	}
	return users
}

// partOf is the part of this module that a package belongs to.
func partOf(dir string) string {
	for _, part := range []struct {
		name    string
		folders []string
	}{
		{"generator", []string{"cmd", "generators", "templates"}},
		{"cachetest", []string{"runtime/cache/cachetest"}},
		{"operations", []string{"operations"}},
		{"tests", []string{"runtime/internal/apinames"}},
	} {
		if within(dir, part.folders) {
			return part.name
		}
	}
	return "runtime"
}

// modulesOf returns the modules that some packages of a module are built from, with their directories.
func modulesOf(t *testing.T, dir string, packages ...string) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	for _, line := range goList(t, dir, append([]string{`{{with .Module}}{{.Path}} {{.Dir}}{{end}}`, "-deps"}, packages...)...) {
		if path, dir, ok := strings.Cut(line, " "); ok {
			dirs[path] = dir
		}
	}
	return dirs
}

// goList runs go list in a directory with a format, and returns its lines.
func goList(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"list", "-f"}, args...)...)
	command.Dir = dir
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v", command, err)
	}
	return strings.Split(strings.TrimSpace(string(output)), "\n")
}
