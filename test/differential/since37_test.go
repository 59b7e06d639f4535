//go:build !before37

package differential

var malformedPatch = request{"PATCH", "a/things/one", mergePatch, `nonsense`}
