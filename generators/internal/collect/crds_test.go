package collect

import (
	"errors"
	"fmt"
	"go/scanner"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
)

// No CRD that is not as it should be is left out in silence, nor are those behind it.
func TestMalformedCRDs(t *testing.T) {
	t.Parallel()
	order := crdOf("shop.example.com", "Order", "orders")
	const at, advice = "crds.yaml:1:1: --crds: not read: a CRD that no server takes: ", "; correct it, or move it out of the folder"
	for name, test := range map[string]struct {
		content string
		want    []string
	}{
		"as it should be":      {order, nil},
		"of a list":            {"kind: List\nitems:\n- {kind: Pod}\n- " + strings.ReplaceAll(strings.TrimSpace(order), "\n", "\n  ") + "\n", nil},
		"of another object":    {"kind: ConfigMap\ndata: {a: CustomResourceDefinition}\n---\n- CustomResourceDefinition\n", nil},
		"versions as a map":    {strings.Replace(order, "[{name: v1}]", "{v1: {}}", 1), []string{"error: " + at + "line 6: cannot unmarshal !!map" + advice}},
		"served is no bool":    {strings.Replace(order, "{name: v1}", "{name: v1, served: some}", 1), []string{"error: " + at + "line 6: cannot unmarshal !!str `some`" + advice}},
		"no plural":            {strings.Replace(order, ", plural: orders", "", 1), []string{"error: " + at + "it has no group, kind or plural" + advice}},
		"kind as a list":       {strings.Replace(order, "kind: Order", "kind: [Order]", 1), []string{"error: " + at + "it has no group, kind or plural" + advice}},
		"no versions":          {strings.Replace(order, "  versions: [{name: v1}]\n", "", 1), []string{"error: " + at + "it has no version" + advice}},
		"version without name": {strings.Replace(order, "{name: v1}", "{served: true}", 1), []string{"error: " + at + "a version has no name" + advice}},
		"unknown scope":        {strings.Replace(order, "Namespaced", "namespaced", 1), []string{"error: " + at + "its scope is \"namespaced\", neither Cluster nor Namespaced" + advice}},
		"no YAML":              {order + "---\n}\n", []string{"error: crds.yaml: --crds: not read: yaml: line 7: did not find expected node content" + advice}},
		"no YAML but a chart":  {order + "{{ end }}\n", []string{"warning: crds.yaml: --crds: not read: yaml: line 7: could not find expected ':'" + advice}},
		"patch":                {"kind: CustomResourceDefinition\nspec: {conversion: {strategy: Webhook}}\n", []string{"warning: crds.yaml:1:1: --crds: not read: a CRD without group, names and versions, such as a patch"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			last := crdOf("last.example.com", "Last", "lasts")
			writeFile(t, filepath.Join(dir, "crds.yaml"), test.content)
			if !strings.Contains(name, "no YAML") {
				writeFile(t, filepath.Join(dir, "crds.yaml"), test.content+"---\n"+last)
			}
			writeFile(t, filepath.Join(dir, "last.yaml"), last)
			var diags diag.List
			crds, err := readCRDs(t.Context(), dir, ".", &diags)
			if err != nil || len(crds) == 0 || crds[len(crds)-1].kind != "Last" {
				t.Errorf("got %d CRDs, error %v", len(crds), err)
			}
			if !strings.Contains(name, "no YAML") && (len(crds) < 2 || crds[len(crds)-2].kind != "Last") {
				t.Errorf("what follows in the file is not read: %d CRDs", len(crds))
			}
			if diff := cmp.Diff(test.want, append(texts(diags.Errors, "error: "), texts(diags.Warnings, "warning: ")...)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Links to files and to directories are followed, each file is read once, and circles end.
func TestCRDsBehindLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "elsewhere/orders.yaml"), crdOf("shop.example.com", "Order", "orders"))
	writeFile(t, filepath.Join(dir, "elsewhere/more/sales.yaml"), crdOf("shop.example.com", "Sale", "sales"))
	if err := os.Mkdir(filepath.Join(dir, "crds"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{
		"linked": "crds", "crds/orders.yaml": "../elsewhere/orders.yaml", "crds/again.yaml": "../elsewhere/orders.yaml", "crds/more": "../elsewhere/more",
		"elsewhere/more/circle": "..", "crds/gone.yaml": "nowhere", "crds/gone": "nowhere",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, root := range []string{"crds", "linked"} {
		var diags diag.List
		crds, err := readCRDs(t.Context(), dir, root, &diags)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range crds {
			got = append(got, fmt.Sprint(c.pos))
		}
		want := []string{filepath.Join(root, "again.yaml") + ":4:17", filepath.Join(root, "more/sales.yaml") + ":4:17"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{filepath.Join(root, "gone.yaml") + ": --crds: not read: it is a link to a file that is not there"}, texts(diags.Warnings, "")); diff != "" {
			t.Error(diff)
		}
	}
}

const crdOfAKind = `kind: CustomResourceDefinition
spec:
  group: GROUP
  names: {kind: KIND, plural: PLURAL}
  scope: Namespaced
  versions: [{name: v1}]
`

func crdOf(group, kind, plural string) string {
	return strings.NewReplacer("GROUP", group, "KIND", kind, "PLURAL", plural).Replace(crdOfAKind)
}

func texts(list scanner.ErrorList, kind string) []string {
	var found []string
	for _, problem := range list {
		found = append(found, kind+problem.Error())
	}
	return found
}

func writeFile(t *testing.T, name, content string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}
