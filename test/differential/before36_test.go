//go:build before36

package differential

const before36 = true
