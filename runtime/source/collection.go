package source

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// collectionIn returns the resource of the collection of objects that a path of the
// API is, if it is one: "/api/v1/pods", or "/apis/GROUP/VERSION/namespaces/NAME/RESOURCE". There
// may be the path of a proxy before.
func collectionIn(path string) (gvr schema.GroupVersionResource, ok bool) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	var gv schema.GroupVersion
	for i, segment := range segments {
		rest := segments[i+1:]
		switch {
		case segment == "api" && len(rest) > 1:
			gv, rest = schema.GroupVersion{Version: rest[0]}, rest[1:]
		case segment == "apis" && len(rest) > 2:
			gv, rest = schema.GroupVersion{Group: rest[0], Version: rest[1]}, rest[2:]
		default:
			continue
		}
		if rest[0] == "namespaces" && len(rest) > 2 {
			rest = rest[2:]
		}
		if len(rest) == 1 {
			return gv.WithResource(rest[0]), true
		}
	}
	return schema.GroupVersionResource{}, false
}

// isTrue reads a boolean parameter of a URL as API servers do.
func isTrue(parameter string) bool {
	return parameter != "" && parameter != "0" && parameter != "false"
}
