package source

import (
	"strings"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// collectionIn returns the collection of objects that a path of the API is, if it is one:
// "/api/v1/pods", or "/apis/GROUP/VERSION/namespaces/NAME/RESOURCE". There may be the path of a
// proxy before.
func collectionIn(path string) (c decoding.Collection, ok bool) {
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, segment := range segments {
		rest := segments[i+1:]
		switch {
		case segment == "api" && len(rest) > 1:
			c, rest = decoding.Collection{Version: rest[0]}, rest[1:]
		case segment == "apis" && len(rest) > 2:
			c, rest = decoding.Collection{Group: rest[0], Version: rest[1]}, rest[2:]
		default:
			continue
		}
		if rest[0] == "namespaces" && len(rest) > 2 {
			c.Namespace, rest = rest[1], rest[2:]
		}
		if len(rest) == 1 {
			c.Resource = rest[0]
			return c, true
		}
	}
	return decoding.Collection{}, false
}

// isTrue reads a boolean parameter of a URL as API servers do.
func isTrue(parameter string) bool {
	return parameter != "" && parameter != "0" && parameter != "false"
}
