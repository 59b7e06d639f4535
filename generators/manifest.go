package generators

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/templates"
)

// manifest lists the files of users' templates, so that the next run finds them wherever they are, and no
// file that only has their sentence. There is one beside the informers if there are such files.
type manifest struct {
	path, root string // its file, and where the paths in it begin
	old        []byte
	listed     []string // absolute paths
}

const manifestHead = "# The files that templates gave. Those that they give no more are removed.\n"

// manifestFile is the path of the manifest.
func (t targets) manifestFile() string { return filepath.Join(t.informers.dir, "templates.txt") }

// readManifest reads what the last run wrote.
func readManifest(to targets) (*manifest, error) {
	m := &manifest{path: to.manifestFile(), root: to.base().dir}
	if to.home != nil {
		m.root = to.home.Dir
	}
	var err error
	if m.old, err = os.ReadFile(m.path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if header.IsOwn(m.old) {
		for line := range strings.Lines(string(m.old)) {
			if name := filepath.FromSlash(strings.TrimSpace(line)); filepath.IsLocal(name) && !strings.HasPrefix(name, "#") {
				m.listed = append(m.listed, filepath.Join(m.root, name))
			}
		}
	}
	return m, nil
}

// left returns the listed files that this tool has written and this run does not.
func (m *manifest) left(written map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(m.listed), func(path string) bool {
		content, err := os.ReadFile(path)
		return written[path] || err != nil || !header.IsOurs(content)
	})
}

// next returns the manifest of some files, and the one that goes if there are none.
func (m *manifest) next(paths []string) (rendered []output.Rendered, stale []string) {
	var names []string
	for _, path := range paths {
		if name, err := filepath.Rel(m.root, path); err == nil {
			names = append(names, filepath.ToSlash(name)+"\n")
		}
	}
	switch slices.Sort(names); {
	case len(names) > 0:
		content := "# " + header.Sentence("") + "\n" + manifestHead + strings.Join(names, "")
		return []output.Rendered{{File: output.File{Path: m.path, Data: &templates.File{}}, Content: []byte(content), Old: m.old}}, nil
	case len(m.listed) > 0:
		return nil, []string{m.path}
	}
	return nil, nil
}
