package policy

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// vulnerability is an entry of a vulnerability database, as far as govulncheck reads it.
type vulnerability struct {
	ID, Module, Function string
}

// writeDatabase writes a database in the form that govulncheck reads from a directory.
func writeDatabase(t *testing.T, dir string, entries []vulnerability) {
	t.Helper()
	type object = map[string]any
	const modified = "2026-01-01T00:00:00Z"
	modules, ids := []object{}, []object{}
	files := map[string]any{"index/db.json": object{"modified": modified}}
	for _, v := range entries {
		files["ID/"+v.ID+".json"] = object{
			"schema_version": "1.3.1", "id": v.ID, "modified": modified, "published": modified, "summary": "Made up",
			"database_specific": object{"url": "https://example.com/" + v.ID},
			"affected": []object{{
				"package":            object{"name": v.Module, "ecosystem": "Go"},
				"ranges":             []object{{"type": "SEMVER", "events": []object{{"introduced": "0"}}}},
				"ecosystem_specific": object{"imports": []object{{"path": v.Module, "symbols": []string{v.Function}}}},
			}},
		}
		modules = append(modules, object{"path": v.Module, "vulns": []object{{"id": v.ID, "modified": modified}}})
		ids = append(ids, object{"id": v.ID, "modified": modified})
	}
	files["index/modules.json"], files["index/vulns.json"] = modules, ids
	for name, content := range files {
		data, err := json.Marshal(content)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// vulncheck runs hack/vulncheck.sh, and returns its exit status and what it prints.
func vulncheck(t *testing.T, args ...string) (int, string) {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "hack/vulncheck.sh", args...).CombinedOutput()
	exit := (*exec.ExitError)(nil)
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		return exit.ExitCode(), string(output)
	}
	return 0, string(output)
}

// "make vulncheck" fails for a vulnerable function that is called, and passes for one that is not. It says
// how to proceed if it has no database.
func TestVulncheck(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds govulncheck")
	}
	program := regexp.MustCompile(`golang\.org/x/vuln/\S+@(\S+)`).FindStringSubmatch(read(t, "hack/vulncheck.sh"))
	if output, err := exec.CommandContext(t.Context(), "go", "mod", "download", "golang.org/x/vuln@"+program[1]).CombinedOutput(); err != nil {
		t.Skipf("govulncheck can't be downloaded: %s", output)
	}
	dir := t.TempDir()
	called := vulnerability{ID: "GO-2026-0001", Module: "github.com/gobuffalo/flect", Function: "Pluralize"}
	notCalled := vulnerability{ID: "GO-2026-0002", Module: "golang.org/x/mod", Function: "NotCalled"}
	for _, c := range []struct {
		name    string
		entries []vulnerability
		status  int
		want    string
	}{
		{"called", []vulnerability{called, notCalled}, 3, "A vulnerability of a dependency can be reached"},
		{"not called", []vulnerability{notCalled}, 0, "No vulnerabilities found"},
		{"no database", nil, 1, "make vulncheck DB=<URL>"},
	} {
		database := filepath.Join(dir, c.name)
		if c.entries != nil {
			writeDatabase(t, database, c.entries)
		}
		status, output := vulncheck(t, "file://"+filepath.ToSlash(database), "./generators")
		if status != c.status || !strings.Contains(output, c.want) || strings.Contains(output, called.ID) != (c.status == 3) {
			t.Errorf("%s: status %d, want %d and %q in\n%s", c.name, status, c.status, c.want, output)
		}
	}
}
