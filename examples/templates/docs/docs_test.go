package docs

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The role allows to read what has an informer, and to write what is reconciled, and nothing else.
func TestRole(t *testing.T) {
	t.Parallel()
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(read(t, "../../config/rbac/role.yaml"), &role); err != nil {
		t.Fatal(err)
	}
	if want := (metav1.TypeMeta{APIVersion: rbacv1.SchemeGroupVersion.String(), Kind: "ClusterRole"}); role.TypeMeta != want {
		t.Errorf("is a %+v, want a %+v", role.TypeMeta, want)
	}
	allowed := map[string]string{}
	for _, rule := range role.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				allowed[group+"/"+resource] = strings.Join(slices.Sorted(slices.Values(rule.Verbs)), " ")
			}
		}
	}
	want := map[string]string{
		"/pods":                          "get list watch",
		"shop.example.com/orders":        "create delete get list patch update watch",
		"shop.example.com/orders/status": "get patch update",
	}
	if diff := cmp.Diff(want, allowed); diff != "" {
		t.Errorf("verbs by resource (-want +got):\n%s", diff)
	}
}

func TestTypes(t *testing.T) {
	t.Parallel()
	var rows [][]string
	for line := range strings.Lines(string(read(t, "../../api/README.md"))) {
		if cells, ok := strings.CutPrefix(strings.TrimSpace(line), "| "); ok {
			rows = append(rows, strings.Split(strings.TrimSuffix(cells, " |"), " | "))
		}
	}
	want := [][]string{
		{"group", "version", "kind", "resource", "scope", "description"},
		{"core", "v1", "Pod", "pods", "Namespaced", "Pod has the node and the phase of a pod."},
		{"shop.example.com", "v1", "Order", "orders", "Namespaced", "Order is a purchase."},
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows of the table (-want +got):\n%s", diff)
	}
}
