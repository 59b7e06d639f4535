//go:build !before37

package generate

// sharePercent is the part of the API that is the same for these libraries, in percent of the part for the
// newest ones.
const sharePercent = 100

// meantChange reports whether a difference to code-generator's API is meant.
func meantChange(string) bool { return false }
