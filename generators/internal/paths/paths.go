// Package paths has what is asked about paths everywhere in the generator.
package paths

import (
	"os"
	"path/filepath"
	"strings"
)

// Exists reports whether there is a file or a directory at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Absolute returns a path relative to dir as an absolute one, and an empty path as it is.
func Absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Relative returns a path relative to dir, if that is not longer than the
// absolute one.
func Relative(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil || len(rel) >= len(path) {
		return path
	}
	return rel
}

// IsNotDirectory reports that there is a file where a directory was expected. The
// operating system reports that only for a path below it.
func IsNotDirectory(err error) bool {
	return strings.Contains(err.Error(), "not a directory")
}
