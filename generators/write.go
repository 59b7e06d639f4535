package generators

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Change is what happens to one file.
type Change struct {
	// Path is relative to the working directory.
	Path string
	// Kind says whether the file is new, differs, or is not generated any more.
	Kind ChangeKind

	path     string // absolute
	old, new []byte
}

// ChangeKind says what happens to a file.
type ChangeKind string

const (
	// Created is a file that does not exist yet.
	Created ChangeKind = "create"
	// Updated is a file with other content than before.
	Updated ChangeKind = "update"
	// Removed is a file of an earlier run whose API type no longer exists.
	Removed ChangeKind = "remove"
)

// compare lists what must change so that the output folders hold the rendered files and
// not the stale ones: sorted by path.
func compare(dir string, files []rendered, stale []string) ([]Change, error) {
	var changes []Change
	var foreign []error
	for _, file := range files {
		switch {
		case file.same:
		case file.old == nil:
			changes = append(changes, Change{Path: relative(dir, file.path), Kind: Created, path: file.path, new: file.content})
		case !isGenerated(file.old):
			foreign = append(foreign, fmt.Errorf("output: %s: is not a generated file; move it away, or choose another output folder", relative(dir, file.path)))
		default:
			changes = append(changes, Change{Path: relative(dir, file.path), Kind: Updated, path: file.path, old: file.old, new: file.content})
		}
	}
	for _, path := range stale {
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("output: %w", err)
		}
		changes = append(changes, Change{Path: relative(dir, path), Kind: Removed, path: path, old: old})
	}
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
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

// apply makes the changes. All new content is on disk, in temporary files,
// before the first file is replaced; an error up to then, or a cancelled context,
// leaves nothing behind.
func apply(ctx context.Context, changes []Change, roots []string) (err error) {
	var staged staging
	defer func() {
		if err != nil {
			staged.discard()
		}
	}()
	for _, change := range changes {
		if change.Kind == Removed {
			continue
		}
		if err := staged.add(change); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	for _, file := range staged.files {
		if err := os.Rename(file.temporary, file.path); err != nil {
			return fmt.Errorf("output: %w", err)
		}
	}
	for _, change := range changes {
		if change.Kind != Removed {
			continue
		}
		if err := os.Remove(change.path); err != nil {
			return fmt.Errorf("output: %w", err)
		}
		removeEmpty(filepath.Dir(change.path), roots)
	}
	return nil
}

// staging is new content in temporary files, beside those that they are to replace.
type staging struct {
	files []stagedFile
	// made are the directories that were made for them.
	made []string
}

type stagedFile struct{ temporary, path string }

// add writes the new content of a file.
func (s *staging) add(change Change) error {
	dirs, err := makeDirs(filepath.Dir(change.path))
	s.made = append(s.made, dirs...)
	if err != nil {
		return fmt.Errorf("output: %w; nothing was written", err)
	}
	name, err := writeTemporary(change.path, change.new)
	if name != "" {
		s.files = append(s.files, stagedFile{name, change.path})
	}
	if err != nil {
		return unwritable(change, err)
	}
	return nil
}

// discard removes what was not put in its place.
func (s *staging) discard() {
	for _, file := range s.files {
		_ = os.Remove(file.temporary) // those that were renamed are gone already
	}
	for _, dir := range slices.Backward(s.made) {
		_ = os.Remove(dir) // fails for one that is not empty, which is meant
	}
}

// unwritable names the file that can't be written, rather than its temporary one.
func unwritable(change Change, err error) error {
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		err = cause.Err
	}
	return fmt.Errorf("output: %s: can't be written: %w; nothing was written", change.Path, err)
}

// makeDirs makes a directory and those above it, and returns the ones it made.
func makeDirs(dir string) ([]string, error) {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil, nil
	}
	made, err := makeDirs(filepath.Dir(dir))
	if err != nil {
		return made, err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return made, err
	}
	return append(made, dir), nil
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
