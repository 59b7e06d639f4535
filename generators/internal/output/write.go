// Package output renders files, compares them with what stands on disk, and makes the changes in
// a way that leaves either all of the old files or all of the new ones.
package output

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/diff"
	"golang.org/x/sync/errgroup"

	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// Change is a change of one file.
type Change struct {
	// Path is relative to the working directory.
	Path string
	// Kind is Created, Updated or Removed.
	Kind string

	file     string // its absolute path
	old, new []byte
	last     bool // made when all others are
}

// The kinds of changes: a file that does not exist yet, one with other content than before, and
// one of an earlier run whose API type no longer exists.
const (
	Created = "create"
	Updated = "update"
	Removed = "remove"
)

// Compare lists what must change so that the output folders hold the rendered files and
// not the stale ones: sorted by path. The file last changes when all others have: it says which there were.
func Compare(dir string, files []Rendered, stale []string, last string) ([]Change, error) {
	var changes []Change
	var foreign []error
	var problems scanner.ErrorList
	for _, file := range files {
		switch {
		case bytes.Equal(file.Content, file.Old):
		case file.Old == nil:
			changes = append(changes, Change{Path: paths.Relative(dir, file.Path), Kind: Created, file: file.Path, new: file.Content, last: file.Path == last})
		case file.Users && !header.IsOurs(file.Old):
			problems = append(problems, file.Problem(token.Position{}, "file: "+paths.Relative(dir, file.Path)+": was not written by this tool", "move it away, or give the template another path"))
		case !header.IsGenerated(file.Old) && !header.IsOurs(file.Old):
			foreign = append(foreign, fmt.Errorf("output: %s: is not a generated file; move it away, or choose another output folder", paths.Relative(dir, file.Path)))
		default:
			changes = append(changes, Change{Path: paths.Relative(dir, file.Path), Kind: Updated, file: file.Path, old: file.Old, new: file.Content, last: file.Path == last})
		}
	}
	for _, path := range stale {
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		changes = append(changes, Change{Path: paths.Relative(dir, path), Kind: Removed, file: path, old: old, last: path == last})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	problems.Sort()
	return changes, errors.Join(append(foreign, problems.Err())...)
}

// Apply makes the changes. All new content is on disk under temporary names before the first
// file is put in its place, and a directory that is new appears with all that is in it. An
// error up to then, or a cancelled context, leaves nothing behind. What runs that were killed
// have left beside the changes and above them is removed.
func Apply(ctx context.Context, changes []Change, roots []string) (err error) {
	staged := newStaging()
	defer func() {
		if err != nil {
			staged.discard()
		}
	}()
	cleaned := map[string]bool{}
	for _, change := range changes {
		for dir := filepath.Dir(change.file); !cleaned[dir]; dir = filepath.Dir(dir) {
			cleaned[dir] = true
			removeAbandoned(dir)
		}
		if change.Kind == Removed {
			continue
		}
		if err := staged.add(change); err != nil {
			return unwritable(change, err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := staged.writing.Wait(); err != nil {
		return err
	}
	for _, last := range []bool{false, true} {
		if err := staged.replace(changes, roots, last); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	return nil
}

// replace puts new content in its place, and then removes files: either the last ones, or all others.
func (s *staging) replace(changes []Change, roots []string, last bool) error {
	for _, move := range s.moves {
		if move.last != last {
			continue
		}
		if err := move.make(); err != nil {
			return err
		}
	}
	for _, change := range changes {
		if change.Kind != Removed || change.last != last {
			continue
		}
		if err := os.Remove(change.file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		removeEmpty(filepath.Dir(change.file), roots)
	}
	return nil
}

// staging is new content under temporary names, beside what it is to replace.
type staging struct {
	moves []move
	// missing are the results of highestMissing.
	missing map[string]string
	// writing writes files of directories that are new.
	writing errgroup.Group
}

func newStaging() *staging {
	s := &staging{missing: map[string]string{}}
	s.writing.SetLimit(runtime.GOMAXPROCS(0))
	return s
}

// move gives a file or a directory its name.
type move struct {
	temporary, path string
	last            bool
}

// add begins to write the new content of a file. What a link leads to is replaced, and not the link.
func (s *staging) add(change Change) error {
	path := change.file
	dir := filepath.Dir(path)
	missing, known := s.missing[dir]
	if !known {
		missing = highestMissing(dir)
		s.missing[dir] = missing
	}
	if missing == "" {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		name, err := writeTemporary(path, change.new)
		if name != "" {
			s.moves = append(s.moves, move{name, path, change.last})
		}
		return err
	}
	tree, err := s.tree(missing)
	if err != nil {
		return err
	}
	path = filepath.Join(tree, strings.TrimPrefix(path, missing))
	s.writing.Go(func() error {
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, change.new, 0o644))
		if err != nil {
			return unwritable(change, err)
		}
		return nil
	})
	return nil
}

// tree returns the temporary directory of one that does not exist.
func (s *staging) tree(missing string) (string, error) {
	for _, move := range s.moves {
		if move.path == missing {
			return move.temporary, nil
		}
	}
	parent := filepath.Dir(missing)
	name := filepath.Join(parent, fmt.Sprintf("%s%d-%s", temporaryPrefix, os.Getpid(), rand.Text()))
	if err := os.Mkdir(name, 0o755); err != nil {
		return "", err
	}
	s.moves = append(s.moves, move{temporary: name, path: missing})
	return name, nil
}

// discard removes what was not put in its place.
func (s *staging) discard() {
	_ = s.writing.Wait()
	for _, move := range s.moves {
		_ = os.RemoveAll(move.temporary) // those that were renamed are gone already
	}
}

// make renames. If another run has made a directory of the name meanwhile, the content goes there.
func (m move) make() error {
	err := os.Rename(m.temporary, m.path)
	if err == nil || !isDir(m.temporary) || !isDir(m.path) {
		return err
	}
	entries, err := os.ReadDir(m.temporary)
	for _, entry := range entries {
		inner := move{temporary: filepath.Join(m.temporary, entry.Name()), path: filepath.Join(m.path, entry.Name())}
		err = errors.Join(err, inner.make())
	}
	return errors.Join(err, os.Remove(m.temporary))
}

// highestMissing returns the directory highest above one, or that itself, that does not exist, or "".
func highestMissing(dir string) string {
	if paths.Exists(dir) || filepath.Dir(dir) == dir {
		return ""
	}
	return cmp.Or(highestMissing(filepath.Dir(dir)), dir)
}

// unwritable names the file that can't be written, rather than its temporary one.
func unwritable(change Change, err error) error {
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("output: %s: can't be written: %w; nothing was written", change.Path, err)
}

// removeEmpty removes a directory and those above it that are empty, up to an
// output folder.
func removeEmpty(dir string, roots []string) {
	for !slices.Contains(roots, dir) {
		if os.Remove(dir) != nil || filepath.Dir(dir) == dir {
			return
		}
		dir = filepath.Dir(dir)
	}
}

// Diff returns the change as a unified diff.
func (c Change) Diff() string {
	old, now := c.Path, c.Path
	switch c.Kind {
	case Created:
		old = "/dev/null"
	case Removed:
		now = "/dev/null"
	}
	text := string(diff.Diff(old, c.old, now, c.new))
	_, text, _ = strings.Cut(text, "\n") // the line "diff old new", which says nothing more
	return text
}

// Line returns the number of the first line of the old file that differs, or of its last line if the new
// file only has more lines. It is 1 for files that are new or removed.
func (c Change) Line() int {
	old, now := bytes.Split(c.old, []byte("\n")), bytes.Split(c.new, []byte("\n"))
	line := 0
	for line < len(old)-1 && line < len(now) && bytes.Equal(old[line], now[line]) {
		line++
	}
	return line + 1
}

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

// removeAbandoned removes what runs that were killed have left in a directory. What can't be
// removed hurts nobody.
func removeAbandoned(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if isAbandoned(entry) {
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
