//go:build before37

package differential

// malformedPatch is well-formed: older servers word the error otherwise.
var malformedPatch = request{"PATCH", "a/things/one", mergePatch, `{}`}
