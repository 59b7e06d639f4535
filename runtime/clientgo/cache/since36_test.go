//go:build !before36

package cache

const addedBefore36 = ""
