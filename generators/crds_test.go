package generators

import (
	"go/scanner"
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
	options.Strict = true // the advice is followed, and nothing is warned of
	mustRun(t, options)
	options.Strict = false
	writeFile(t, filepath.Join(options.Dir, "crds/sales.yaml"), crdOf("shop.example.com", "Sale", "sales"))
	if _, err := Run(t.Context(), options); err == nil || !strings.Contains(err.Error(), "CRD: Sale of shop.example.com/v1 has no informer; mark its type") {
		t.Errorf("got %v", err)
	}
}
