package cachetest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	apiversion "k8s.io/apimachinery/pkg/version"
)

// discovery describes what a server serves at one moment: the resources that are
// installed, subresources included, by group version.
type discovery map[schema.GroupVersion][]metav1.APIResource

// discovery returns what the server serves now.
func (s *Server) discovery() discovery {
	s.mu.RLock()
	defer s.mu.RUnlock()
	d := discovery{}
	for resource, e := range s.resources {
		if e.installed() {
			gv := resource.GroupVersion()
			d[gv] = append(d[gv], e.describe(resource.Resource)...)
		}
	}
	for _, resources := range d {
		slices.SortFunc(resources, func(x, y metav1.APIResource) int { return strings.Compare(x.Name, y.Name) })
	}
	return d
}

// document returns the discovery document of a path, or false if there is none.
func (d discovery) document(path string) (any, bool) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case parts[0] == "api" && len(parts) == 1:
		return d.coreVersions()
	case parts[0] == "api" && len(parts) == 2:
		return d.resources(schema.GroupVersion{Version: parts[1]})
	case parts[0] != "apis":
		return nil, false
	case len(parts) == 1:
		return d.groups(), true
	case len(parts) == 2:
		return d.group(parts[1])
	case len(parts) == 3:
		return d.resources(schema.GroupVersion{Group: parts[1], Version: parts[2]})
	}
	return nil, false
}

// coreVersions is the document of /api.
func (d discovery) coreVersions() (any, bool) {
	versions := d.versions("")
	return &metav1.APIVersions{
		TypeMeta: metav1.TypeMeta{Kind: "APIVersions"},
		Versions: versions,
	}, len(versions) > 0
}

// versions returns the versions of a group, the preferred one first.
func (d discovery) versions(group string) []string {
	var versions []string
	for gv := range d {
		if gv.Group == group {
			versions = append(versions, gv.Version)
		}
	}
	slices.SortFunc(versions, func(x, y string) int { return apiversion.CompareKubeAwareVersionStrings(y, x) })
	return versions
}

// groups is the document of /apis.
func (d discovery) groups() *metav1.APIGroupList {
	names := sets.New[string]()
	for gv := range d {
		if gv.Group != "" {
			names.Insert(gv.Group)
		}
	}
	list := &metav1.APIGroupList{
		TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"},
		Groups:   []metav1.APIGroup{},
	}
	for _, name := range sets.List(names) {
		list.Groups = append(list.Groups, d.describeGroup(name))
	}
	return list
}

// group is the document of /apis/<group>.
func (d discovery) group(name string) (any, bool) {
	group := d.describeGroup(name)
	if name == "" || len(group.Versions) == 0 {
		return nil, false
	}
	group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
	return &group, true
}

func (d discovery) describeGroup(name string) metav1.APIGroup {
	group := metav1.APIGroup{Name: name}
	for _, v := range d.versions(name) {
		group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{
			GroupVersion: schema.GroupVersion{Group: name, Version: v}.String(),
			Version:      v,
		})
	}
	if len(group.Versions) > 0 {
		group.PreferredVersion = group.Versions[0]
	}
	return group
}

// resources is the document of a group version.
func (d discovery) resources(gv schema.GroupVersion) (any, bool) {
	resources, ok := d[gv]
	return &metav1.APIResourceList{
		TypeMeta:     metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"},
		GroupVersion: gv.String(),
		APIResources: resources,
	}, ok
}

// serveDiscovery answers with a discovery document, or with 404 for a path that
// has none.
func serveDiscovery(w http.ResponseWriter, r *http.Request, d discovery) {
	document, ok := d.document(r.URL.Path)
	if !ok {
		http.NotFound(w, r)
		return
	}
	if r.Method != http.MethodGet {
		writeError(w, apierrors.NewMethodNotSupported(schema.GroupResource{}, r.Method))
		return
	}
	text, err := json.Marshal(document)
	if err != nil {
		writeError(w, apierrors.NewInternalError(err))
		return
	}
	writeJSON(w, http.StatusOK, text)
}
