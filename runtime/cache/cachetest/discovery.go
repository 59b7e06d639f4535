package cachetest

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	apiversion "k8s.io/apimachinery/pkg/version"
)

// discovery returns the discovery documents of the server now, by their paths: the installed resources,
// subresources included, by group version.
func (s *Server) discovery() map[string]any {
	resources := s.describe()
	documents := map[string]any{}
	core := &metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}}
	groups := &metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{}}
	documents["/apis"] = groups
	// The preferred version of a group comes first.
	for _, gv := range slices.SortedFunc(maps.Keys(resources), func(x, y schema.GroupVersion) int {
		return cmp.Or(strings.Compare(x.Group, y.Group), apiversion.CompareKubeAwareVersionStrings(y.Version, x.Version))
	}) {
		path := "/apis/" + gv.String()
		if gv.Group == "" {
			path = "/api/" + gv.Version
			core.Versions = append(core.Versions, gv.Version)
			documents["/api"] = core
		} else {
			addVersion(groups, gv)
		}
		documents[path] = &metav1.APIResourceList{
			TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
			GroupVersion: gv.String(),
			APIResources: resources[gv],
		}
	}
	for _, group := range groups.Groups {
		group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		documents["/apis/"+group.Name] = &group
	}
	return documents
}

// addVersion adds a version to its group. If the group exists, it is the last one.
func addVersion(groups *metav1.APIGroupList, gv schema.GroupVersion) {
	version := metav1.GroupVersionForDiscovery{GroupVersion: gv.String(), Version: gv.Version}
	last := len(groups.Groups) - 1
	if last >= 0 && groups.Groups[last].Name == gv.Group {
		groups.Groups[last].Versions = append(groups.Groups[last].Versions, version)
		return
	}
	groups.Groups = append(groups.Groups, metav1.APIGroup{
		Name:             gv.Group,
		Versions:         []metav1.GroupVersionForDiscovery{version},
		PreferredVersion: version,
	})
}

// describe returns the installed resources by group version, sorted by name.
func (s *Server) describe() map[schema.GroupVersion][]metav1.APIResource {
	s.mu.RLock()
	defer s.mu.RUnlock()
	all := map[schema.GroupVersion][]metav1.APIResource{}
	for resource, e := range s.resources {
		if e.installed() {
			gv := resource.GroupVersion()
			all[gv] = append(all[gv], e.describe()...)
		}
	}
	for _, resources := range all {
		slices.SortFunc(resources, func(x, y metav1.APIResource) int { return strings.Compare(x.Name, y.Name) })
	}
	return all
}

// describe returns the discovery of a resource and its status.
func (e endpoint) describe() []metav1.APIResource {
	resource := metav1.APIResource{
		Name:         e.path.Resource,
		SingularName: strings.ToLower(e.kind.Kind),
		Namespaced:   !e.options.ClusterScoped,
		Kind:         e.kind.Kind,
		Verbs:        metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	}
	if !e.status {
		return []metav1.APIResource{resource}
	}
	status := resource
	status.Name, status.SingularName = resource.Name+"/"+statusSubresource, ""
	status.Verbs = metav1.Verbs{"get", "patch", "update"}
	return []metav1.APIResource{resource, status}
}

// serveDiscovery responds with a discovery document, or with 404 for a path without one.
func (s *Server) serveDiscovery(w http.ResponseWriter, r *http.Request) error {
	document := s.discovery()["/"+strings.Trim(r.URL.Path, "/")]
	if document == nil {
		http.NotFound(w, r)
		return nil
	}
	if r.Method != http.MethodGet {
		return apierrors.NewMethodNotSupported(schema.GroupResource{}, r.Method)
	}
	text, err := json.Marshal(document)
	if err != nil {
		return apierrors.NewInternalError(err)
	}
	writeBody(w, http.StatusOK, jsonType, text)
	return nil
}
