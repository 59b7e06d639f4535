//go:build !before37

package generate

// sharePercent is how much of the API that is the same for the newest libraries is the same for these.
const sharePercent = 100

// meantChange reports whether a difference to code-generator's API is meant.
func meantChange(string) bool { return false }
