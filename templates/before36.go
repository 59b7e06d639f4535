//go:build before36

package templates

// cacheSince36 has what tools/cache has since 0.36.
const cacheSince36 = RuntimeModule + "/runtime/clientgo/cache"

// HasName reports whether a factory has a name, as those of code-generator have since 0.36.
func (*InternalInterfaces) HasName() bool { return false }
