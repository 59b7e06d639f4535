//go:build before37

package generate

import "regexp"

// sharePercent is the share of the API for the newest libraries that code-generator has for these,
// without typed informers.
const sharePercent = 25

var typedInstead = regexp.MustCompile(`^method .*\.Interface\.\w+: func\(\) \S+\.Typed(\w+) instead of func\(\) \S+\.(\w+)$`)

// meantChange reports whether a difference to code-generator's API is meant: a version's Interface
// returns the typed informer of a resource, which has the methods of the other and more.
func meantChange(what string) bool {
	found := typedInstead.FindStringSubmatch(what)
	return found != nil && found[1] == found[2]
}
