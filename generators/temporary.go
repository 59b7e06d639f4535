package generators

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// temporaryPrefix begins the names of temporary files and directories, before the id of the
// process that writes them.
const temporaryPrefix = ".informer-gen-"

// writeTemporary writes a file beside the one it is to replace, with its mode.
func writeTemporary(path string, content []byte) (name string, err error) {
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	file, err := os.CreateTemp(filepath.Dir(path), fmt.Sprintf("%s%d-*", temporaryPrefix, os.Getpid()))
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	return file.Name(), errors.Join(err, file.Chmod(mode), file.Close())
}

// abandonedAfter is the age of a temporary file that nobody writes any more,
// whatever runs under the id in its name.
const abandonedAfter = time.Hour

// removeAbandoned removes the temporary directories that runs which were killed have left in
// a directory. One that can't be removed hurts nobody.
func removeAbandoned(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if entry.IsDir() && isAbandoned(entry) {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}

// isAbandoned reports whether a file or a directory is a temporary one of a run that was
// killed.
func isAbandoned(entry fs.DirEntry) bool {
	rest, ok := strings.CutPrefix(entry.Name(), temporaryPrefix)
	if !ok || !entry.Type().IsRegular() && !entry.IsDir() {
		return false
	}
	id, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(id)
	info, infoErr := entry.Info()
	return err != nil || !runs(pid) || infoErr == nil && time.Since(info.ModTime()) > abandonedAfter
}

// runs reports whether there is a process of an id.
func runs(pid int) bool {
	process, err := os.FindProcess(pid)
	return err == nil && !errors.Is(process.Signal(syscall.Signal(0)), os.ErrProcessDone)
}
