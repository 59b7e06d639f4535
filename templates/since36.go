//go:build !before36

package templates

// cacheSince36 has what tools/cache has since 0.36.
const cacheSince36 = clientGoCache

// HasName reports whether the interface has InformerName, as code-generator's has since 0.36.
func (*InternalInterfaces) HasName() bool { return true }
