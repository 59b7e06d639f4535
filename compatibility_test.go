package policy

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// docs/compatibility.md has a row for the version of the changelog, with the requirements of go.mod.
func TestVersions(t *testing.T) {
	page, changelog := read(t, "docs/compatibility.md"), read(t, "CHANGELOG.md")
	sections := regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(changelog, 2)
	if len(sections) < 2 || sections[0][1] != "Unreleased" {
		t.Fatalf("CHANGELOG.md begins with %v, want Unreleased and a version", sections)
	}
	version, _, _ := strings.Cut(sections[1][1], " ")
	minor := strings.TrimPrefix(semver.MajorMinor("v"+version), "v")
	row := regexp.MustCompile(`(?m)^\| (` + regexp.QuoteMeta(minor) + `) \| v(\d+\.\d+) \| (\d+\.\d+) or newer \|`).FindStringSubmatch(page)
	if row == nil {
		t.Fatalf("docs/compatibility.md has no row for %s, the version of CHANGELOG.md", minor)
	}
	if source := read(t, "cmd/informer-gen/version.go"); !strings.Contains(source, `const release = "v`+version+`"`) {
		t.Errorf("cmd/informer-gen/version.go: want release v%s, as in CHANGELOG.md", version)
	}
	mod, err := modfile.Parse("go.mod", []byte(read(t, "go.mod")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(mod.Go.Version, row[3]+".") {
		t.Errorf("docs/compatibility.md: Go %s, but %s in go.mod", row[3], mod.Go.Version)
	}
	if file := read(t, "Dockerfile"); strings.Count(file, "FROM ") != strings.Count(file, "FROM golang:"+row[3]) {
		t.Errorf("Dockerfile: want images of Go %s, as in go.mod", row[3])
	}
	for _, require := range mod.Require {
		if require.Mod.Path == "k8s.io/client-go" && semver.MajorMinor(require.Mod.Version) != "v"+row[2] {
			t.Errorf("docs/compatibility.md: k8s.io v%s, but %s in go.mod", row[2], require.Mod.Version)
		}
	}
}

// The tests run on the API servers that docs/compatibility.md names.
func TestServers(t *testing.T) {
	servers := regexp.MustCompile(`(?m)^SERVERS := (.+)$`).FindStringSubmatch(read(t, "Makefile"))
	for _, version := range strings.Fields(servers[1]) {
		if !regexp.MustCompile(`Kubernetes [^\n(]*\b` + regexp.QuoteMeta(version) + `\b`).MatchString(read(t, "docs/compatibility.md")) {
			t.Errorf("docs/compatibility.md does not name Kubernetes %s", version)
		}
	}
}

// docs/compatibility.md says of each public package whether it is stable.
func TestStabilityOfEachPackage(t *testing.T) {
	_, table, _ := strings.Cut(read(t, "docs/compatibility.md"), "\n## What is stable\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var named []string
	for _, name := range regexp.MustCompile("`((?:runtime|operations)/[a-z/]+)").FindAllStringSubmatch(table, -1) {
		if _, err := os.Stat(name[1]); err != nil {
			t.Error(err)
		}
		named = append(named, strings.TrimSuffix(name[1], "/"))
	}
	check := func(name string, _ fs.DirEntry, err error) error {
		if dir := path.Dir(filepath.ToSlash(name)); path.Base(name) == "api.txt" && !within(dir, named) {
			t.Errorf("docs/compatibility.md does not say whether %s is stable", dir)
		}
		return err
	}
	for _, folder := range []string{"runtime", "operations"} {
		if err := filepath.WalkDir(folder, check); err != nil {
			t.Fatal(err)
		}
	}
}
