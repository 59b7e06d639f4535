package crdserver

import (
	"maps"
	"net/http"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	listers "k8s.io/apiextensions-apiserver/pkg/client/listers/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
)

// discovery lists the API groups of a server, at /api and /apis, where clients such as
// kubectl begin. In a cluster the kube-aggregator does that; the server for custom resources
// answers for single groups and versions alone.
type discovery struct {
	crds listers.CustomResourceDefinitionLister
}

func (d *discovery) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/api":
		responsewriters.WriteRawJSON(http.StatusOK, metav1.APIVersions{
			TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"},
			Versions: []string{},
		}, w)
	case "/apis":
		crds, err := d.crds.List(labels.Everything())
		if err != nil {
			responsewriters.InternalError(w, r, err)
			return
		}
		own := groupOf(apiextensionsv1.GroupName, []string{apiextensionsv1.SchemeGroupVersion.Version})
		responsewriters.WriteRawJSON(http.StatusOK, metav1.APIGroupList{
			TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
			Groups:   append([]metav1.APIGroup{own}, groupsOf(crds)...),
		}, w)
	default:
		http.NotFound(w, r)
	}
}

// groupsOf returns the groups that are served of definitions, sorted by name. The versions
// of each are sorted as Kubernetes prefers them, the best first.
func groupsOf(crds []*apiextensionsv1.CustomResourceDefinition) []metav1.APIGroup {
	versions := map[string][]string{}
	for _, crd := range crds {
		if !apihelpers.IsCRDConditionTrue(crd, apiextensionsv1.Established) {
			continue
		}
		for _, v := range crd.Spec.Versions {
			if group := crd.Spec.Group; v.Served && !slices.Contains(versions[group], v.Name) {
				versions[group] = append(versions[group], v.Name)
			}
		}
	}
	var groups []metav1.APIGroup
	for _, name := range slices.Sorted(maps.Keys(versions)) {
		groups = append(groups, groupOf(name, versions[name]))
	}
	return groups
}

func groupOf(name string, versions []string) metav1.APIGroup {
	slices.SortFunc(versions, func(a, b string) int { return version.CompareKubeAwareVersionStrings(b, a) })
	group := metav1.APIGroup{Name: name}
	for _, v := range versions {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: name + "/" + v, Version: v})
	}
	group.PreferredVersion = group.Versions[0]
	return group
}
