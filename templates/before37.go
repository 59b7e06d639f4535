//go:build before37

package templates

// cacheSince37 has what tools/cache has since 0.37.
const cacheSince37 = RuntimeModule + "/runtime/clientgo/cache"
