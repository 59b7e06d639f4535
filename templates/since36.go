//go:build !before36

package templates

// cacheSince36 has what tools/cache has since 0.36.
const cacheSince36 = clientGoCache

// HasInformerName reports whether factories have InformerName, as code-generator's have since 0.36.
func (*Run) HasInformerName() bool { return true }
