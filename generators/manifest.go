package generators

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/templates"
)

// manifest lists the files of users' templates, wherever they are, so that the next run knows which
// of them it does not write any more.
type manifest struct {
	path, root string // its file, and where the paths in it begin
	old        []byte
	listed     map[string]bool // absolute paths
}

const manifestHead = "# The files that templates gave. Those that they give no more are removed.\n"

// manifestFile is the path of the manifest, beside the informers.
func (t targets) manifestFile() string { return filepath.Join(t.informers.dir, "templates.txt") }

// readManifest reads the one beside the informers.
func readManifest(to targets) (*manifest, error) {
	m := &manifest{path: to.manifestFile(), root: to.base().dir, listed: map[string]bool{}}
	if to.home != nil {
		m.root = to.home.Dir
	}
	var err error
	if m.old, err = os.ReadFile(m.path); errors.Is(err, os.ErrNotExist) {
		return m, nil
	}
	if header.IsOwn(m.old) {
		for line := range strings.Lines(string(m.old)) {
			if name := filepath.FromSlash(strings.TrimSpace(line)); filepath.IsLocal(name) && !strings.HasPrefix(name, "#") {
				m.listed[filepath.Join(m.root, name)] = true
			}
		}
	}
	return m, err
}

// stale returns the files that it lists and this run does not write, if this tool has written them.
func (m *manifest) stale(files []output.Rendered) []string {
	left := maps.Clone(m.listed)
	for _, file := range files {
		delete(left, file.Path)
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(left)), func(path string) bool {
		content, err := os.ReadFile(path)
		return err != nil || !header.IsOurs(content)
	})
}

// next returns the manifest of files, if there are any.
func (m *manifest) next(paths []string) []output.Rendered {
	var names []string
	for _, path := range paths {
		if name, err := filepath.Rel(m.root, path); err == nil {
			names = append(names, filepath.ToSlash(name))
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	content := "# " + header.Sentence("") + "\n" + manifestHead + strings.Join(names, "\n") + "\n"
	return []output.Rendered{{File: output.File{Path: m.path, Data: &templates.File{}}, Content: []byte(content), Old: m.old}}
}

// sweepUsers returns the manifest, if there is one, and the stale files of users' templates. In a run
// that could not load a package they are kept.
func (r *run) sweepUsers(s *sweeper, files []output.Rendered, diags *diag.List) (rendered []output.Rendered, stale []string, err error) {
	m, err := readManifest(r.to)
	if err != nil {
		return nil, nil, err
	}
	var listed []string
	for _, file := range files {
		if file.Users {
			listed = append(listed, file.Path)
		}
	}
	stale = m.stale(files)
	if len(stale) > 0 && len(s.failed) > 0 && !r.options.KeepStale {
		s.warnUnswept(filepath.Dir(stale[0]), stale[0], diags)
	}
	if len(s.failed) > 0 || r.options.KeepStale {
		listed, stale = append(listed, stale...), nil
	}
	if rendered = m.next(listed); rendered == nil && len(m.listed) > 0 {
		stale = append(stale, m.path)
	}
	return rendered, stale, nil
}
