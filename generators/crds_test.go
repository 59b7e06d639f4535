package generators

import (
	"fmt"
	"go/scanner"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
			var diags diagnostics
			crds, err := readCRDs(t.Context(), dir, ".", &diags)
			if err != nil || len(crds) == 0 || crds[len(crds)-1].kind != "Last" {
				t.Errorf("got %d CRDs, error %v", len(crds), err)
			}
			if !strings.Contains(name, "no YAML") && (len(crds) < 2 || crds[len(crds)-2].kind != "Last") {
				t.Errorf("what follows in the file is not read: %d CRDs", len(crds))
			}
			if diff := cmp.Diff(test.want, append(texts(diags.errors, "error: "), texts(diags.warnings, "warning: ")...)); diff != "" {
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
		var diags diagnostics
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
		if diff := cmp.Diff([]string{filepath.Join(root, "gone.yaml") + ": --crds: not read: it is a link to a file that is not there"}, texts(diags.warnings, "")); diff != "" {
			t.Error(diff)
		}
	}
}

// CRDs of groups that the input has no type of are somebody else's: a warning for each group,
// and not the advice to mark their types. Those of a group of the input are an error.
func TestCRDsOfOthers(t *testing.T) {
	t.Parallel()
	options := project(t)
	options.CRDs = "crds"
	for file, text := range map[string]string{
		"orders": crdOf("shop.example.com", "Order", "orders"), "certificates": crdOf("cert-manager.io", "Certificate", "certificates"),
		"issuers": crdOf("cert-manager.io", "Issuer", "issuers"),
	} {
		writeFile(t, filepath.Join(options.Dir, "crds", file+".yaml"), text)
	}
	want := []string{`crds/certificates.yaml:4:17: CRD: the input has no type of group "cert-manager.io", which has CRDs here; name the package of its types, or leave them out with --exclude Certificate,Issuer`}
	if diff := cmp.Diff(want, texts(mustRun(t, options).Warnings, "")); diff != "" {
		t.Error(diff)
	}
	options.Exclude = []string{"Certificate", "Issuer"}
	for _, warning := range mustRun(t, options).Warnings {
		if strings.Contains(warning.Msg, "CRD: ") {
			t.Error(warning)
		}
	}
	writeFile(t, filepath.Join(options.Dir, "crds/sales.yaml"), crdOf("shop.example.com", "Sale", "sales"))
	if _, err := Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), "CRD: Sale of shop.example.com/v1 has no informer; mark its type") {
		t.Errorf("got %v", err)
	}
}
