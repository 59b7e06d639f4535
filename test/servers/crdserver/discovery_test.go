package crdserver

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Groups are sorted by name, and have each version that any of their definitions serves once,
// the one that Kubernetes prefers first. Definitions that are not established are left out.
func TestGroupsOf(t *testing.T) {
	for _, c := range []struct {
		name string
		crds []*apiextensionsv1.CustomResourceDefinition
		want string
	}{
		{"nothing", nil, ""},
		{"versions in order of preference", definitions("shop v1alpha1 v1 v2beta1 v2 other"), "shop: v2 v1 v2beta1 v1alpha1 other"},
		{"two definitions of a group, and another group", definitions("shop v1 v2", "shop v1", "bank v1"), "bank: v1, shop: v2 v1"},
		{"versions that are not served", definitions("shop -v2 v1", "bank -v1"), "shop: v1"},
		{"not established", definitions("!shop v1"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, group := range groupsOf(c.crds) {
				line := group.Name + ":"
				for _, version := range group.Versions {
					line += " " + strings.TrimPrefix(version.GroupVersion, group.Name+"/")
				}
				got = append(got, line)
				if group.PreferredVersion != group.Versions[0] {
					t.Errorf("%s: prefers %v", line, group.PreferredVersion)
				}
			}
			if got := strings.Join(got, ", "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// definitions returns one for each line of a group and its versions. A version with a minus
// is not served, a group with an exclamation mark not established.
func definitions(lines ...string) []*apiextensionsv1.CustomResourceDefinition {
	var crds []*apiextensionsv1.CustomResourceDefinition
	for _, line := range lines {
		words := strings.Fields(line)
		group, waiting := strings.CutPrefix(words[0], "!")
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Spec.Group = group
		if !waiting {
			crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue}}
		}
		for _, word := range words[1:] {
			version, unserved := strings.CutPrefix(word, "-")
			crd.Spec.Versions = append(crd.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{Name: version, Served: !unserved})
		}
		crds = append(crds, crd)
	}
	return crds
}
