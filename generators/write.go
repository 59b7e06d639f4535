package generators

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// change is a change of one file.
type change struct {
	kind     string
	shown    string // its path, relative to the working directory
	path     string // absolute
	old, new []byte
}

// The kinds of changes: a file that does not exist yet, one with other content than before, and
// one of an earlier run whose API type no longer exists.
const (
	created = "create"
	updated = "update"
	removed = "remove"
)

// compare lists what must change so that the output folders hold the rendered files and
// not the stale ones: sorted by path.
func compare(dir string, files []rendered, stale []string) ([]change, error) {
	var changes []change
	var foreign []error
	for _, file := range files {
		switch {
		case file.same:
		case file.old == nil:
			changes = append(changes, change{shown: relative(dir, file.path), kind: created, path: file.path, new: file.content})
		case !isGenerated(file.old):
			foreign = append(foreign, fmt.Errorf("output: %s: is not a generated file; move it away, or choose another output folder", relative(dir, file.path)))
		default:
			changes = append(changes, change{shown: relative(dir, file.path), kind: updated, path: file.path, old: file.old, new: file.content})
		}
	}
	for _, path := range stale {
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		changes = append(changes, change{shown: relative(dir, path), kind: removed, path: path, old: old})
	}
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.shown, b.shown) })
	return changes, errors.Join(foreign...)
}

// hasHeader reports whether this tool's line stands above the package clause.
func hasHeader(content []byte) bool {
	for line := range bytes.Lines(content) {
		line = bytes.TrimRight(line, "\r\n")
		if string(line) == generatedBy {
			return true
		}
		if bytes.HasPrefix(line, []byte("package ")) {
			return false
		}
	}
	return false
}

// apply makes the changes. All new content is on disk under temporary names before the first
// file is put in its place, and a directory that is new appears with all that is in it. An
// error up to then, or a cancelled context, leaves nothing behind.
func apply(ctx context.Context, changes []change, roots []string) (err error) {
	staged := newStaging()
	defer func() {
		if err != nil {
			staged.discard()
		}
	}()
	for _, change := range changes {
		if change.kind == removed {
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
	for _, move := range staged.moves {
		if err := move.make(); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	for _, change := range changes {
		if change.kind != removed {
			continue
		}
		if err := os.Remove(change.path); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		removeEmpty(filepath.Dir(change.path), roots)
	}
	return nil
}

// staging is new content under temporary names, beside what it is to replace.
type staging struct {
	moves []move
	// missed has what missing has returned.
	missed map[string]string
	// writing writes files of directories that are new.
	writing errgroup.Group
}

func newStaging() *staging {
	s := &staging{missed: map[string]string{}}
	s.writing.SetLimit(runtime.GOMAXPROCS(0))
	return s
}

// move gives a file or a directory its name.
type move struct{ temporary, path string }

// add begins to write the new content of a file. What a link leads to is replaced, and not the link.
func (s *staging) add(change change) error {
	path := change.path
	missing := s.missing(filepath.Dir(path))
	if missing == "" {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		name, err := writeTemporary(path, change.new)
		if name != "" {
			s.moves = append(s.moves, move{name, path})
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
	removeAbandoned(parent)
	name := filepath.Join(parent, fmt.Sprintf("%s%d-%s", temporaryPrefix, os.Getpid(), rand.Text()))
	if err := os.Mkdir(name, 0o755); err != nil {
		return "", err
	}
	s.moves = append(s.moves, move{name, missing})
	return name, nil
}

// discard removes what was not put in its place.
func (s *staging) discard() {
	_ = s.writing.Wait()
	for _, move := range s.moves {
		_ = os.RemoveAll(move.temporary) // those that were renamed are gone already
	}
}

// make renames. What is in a directory goes to that of its name, if another run has made one
// meanwhile.
func (m move) make() error {
	err := os.Rename(m.temporary, m.path)
	if err == nil || !isDir(m.temporary) || !isDir(m.path) {
		return err
	}
	entries, err := os.ReadDir(m.temporary)
	for _, entry := range entries {
		inner := move{filepath.Join(m.temporary, entry.Name()), filepath.Join(m.path, entry.Name())}
		err = errors.Join(err, inner.make())
	}
	return errors.Join(err, os.Remove(m.temporary))
}

// missing returns the directory highest above one, or that itself, that does not exist, or "".
func (s *staging) missing(dir string) string {
	found, ok := s.missed[dir]
	if !ok && !exists(dir) && filepath.Dir(dir) != dir {
		found = cmp.Or(s.missing(filepath.Dir(dir)), dir)
	}
	s.missed[dir] = found
	return found
}

// unwritable names the file that can't be written, rather than its temporary one.
func unwritable(change change, err error) error {
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("output: %s: can't be written: %w; nothing was written", change.shown, err)
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

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
