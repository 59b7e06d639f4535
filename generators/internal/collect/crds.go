package collect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// crd describes the types of a resource, as a manifest does.
type crd struct {
	group, kind, plural string
	namespaced          bool
	versions            map[string]token.Position // those that are served
	pos                 token.Position
	moved               bool // a type with another group is taken for its own
}

// manifest is a CustomResourceDefinition as far as it matters here.
type manifest struct {
	Spec struct {
		Group   string `yaml:"group"`
		Scope   scalar `yaml:"scope"`
		Version scalar `yaml:"version"` // of v1beta1
		Names   struct {
			Kind   scalar `yaml:"kind"`
			Plural string `yaml:"plural"`
		} `yaml:"names"`
		Versions []struct {
			Name   scalar `yaml:"name"`
			Served *bool  `yaml:"served"`
		} `yaml:"versions"`
	} `yaml:"spec"`
}

// scalar is a text with its place in a file. An alias has the place of its anchor.
type scalar struct{ yaml.Node }

// UnmarshalYAML is called with what an alias stands for.
func (s *scalar) UnmarshalYAML(node *yaml.Node) error {
	s.Node = *node
	return nil
}

// crdReader reads the CRDs of files and directories.
type crdReader struct {
	ctx   context.Context
	dir   string // the working directory
	diags *diag.List
	seen  map[string]bool // what was read, by its path without links
	files int             // those that say that they have a CRD
	found []*crd
}

// readCRDs reads the CRDs of a file, or of all YAML and JSON files below a directory, also
// behind links. Files that are not YAML, such as templates of charts, are left out unless
// they say that they have a CRD.
func readCRDs(ctx context.Context, dir, root string, diags *diag.List) ([]*crd, error) {
	r := &crdReader{ctx: ctx, dir: dir, diags: diags, seen: map[string]bool{}}
	if err := r.walk(paths.Absolute(dir, root)); err != nil {
		return nil, fmt.Errorf("--crds: %w", err)
	}
	if len(r.found) == 0 && diags.Err() == nil {
		return nil, fmt.Errorf("--crds: %s: no CustomResourceDefinition in %s; name the directory of their YAML files", root, diag.Count(r.files, "file"))
	}
	return r.found, nil
}

// walk reads a file, or what is in a directory, once.
func (r *crdReader) walk(path string) error {
	real, err := filepath.EvalSymlinks(path)
	if err := cmp.Or(r.ctx.Err(), err); err != nil || r.seen[real] {
		return err
	}
	r.seen[real] = true
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return r.read(path, info)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		name := filepath.Join(path, entry.Name())
		err := r.walk(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && isManifest(name):
			r.diags.Warnf(r.at(name, 0, 0), "--crds: not read: it is a link to a file that is not there")
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

func isManifest(path string) bool {
	extension := filepath.Ext(path)
	return extension == ".yaml" || extension == ".yml" || extension == ".json"
}

func (r *crdReader) at(path string, line, column int) token.Position {
	return token.Position{Filename: paths.Relative(r.dir, path), Line: line, Column: column}
}

// read reads the CRDs of a file that says that it has some. What is wrong with it is an error,
// and only a warning in a template of a chart.
func (r *crdReader) read(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() || !isManifest(path) {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(content, []byte("CustomResourceDefinition")) {
		return err
	}
	r.files++
	report := r.diags.Errorf
	if bytes.Contains(content, []byte("{{")) {
		report = r.diags.Warnf
	}
	for decoder := yaml.NewDecoder(bytes.NewReader(content)); ; {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			report(r.at(path, 0, 0), "--crds: not read: %v; correct it, or move it out of the folder", err)
			return nil
		}
		r.object(path, &node, report)
	}
}

// object takes a CRD, or the CRDs of a list. It leaves out what is no object of Kubernetes.
func (r *crdReader) object(path string, node *yaml.Node, report func(token.Position, string, ...any)) {
	var of struct {
		Kind  string      `yaml:"kind"`
		Items []yaml.Node `yaml:"items"`
	}
	if err := node.Decode(&of); err != nil {
		return
	}
	if of.Kind != "CustomResourceDefinition" {
		for _, item := range of.Items {
			r.object(path, &item, report)
		}
		return
	}
	var m manifest
	err := node.Decode(&m)
	if err == nil && m.isPatch() {
		r.diags.Warnf(r.at(path, node.Line, node.Column), "--crds: not read: a CRD without group, names and versions, such as a patch")
		return
	}
	c, problem := m.crd(func(of scalar) token.Position { return r.at(path, of.Line, of.Column) })
	if wrong := (*yaml.TypeError)(nil); errors.As(err, &wrong) {
		problem, _, _ = strings.Cut(wrong.Errors[0], " into ") // a type of Go
	}
	if problem != "" {
		report(r.at(path, node.Line, node.Column), "--crds: not read: a CRD that no server takes: %s; correct it, or move it out of the folder", problem)
		return
	}
	r.found = append(r.found, c)
}

// isPatch reports whether a manifest is a part of a CRD, as kustomize has them.
func (m manifest) isPatch() bool {
	return m.Spec.Group == "" && m.Spec.Names.Kind.Value == "" && m.Spec.Names.Plural == "" && len(m.Spec.Versions) == 0
}

// crd returns what a manifest says, or what is wrong with it.
func (m manifest) crd(at func(scalar) token.Position) (c *crd, problem string) {
	spec := m.Spec
	c = &crd{group: spec.Group, kind: spec.Names.Kind.Value, plural: spec.Names.Plural, namespaced: spec.Scope.Value != "Cluster",
		versions: map[string]token.Position{}, pos: at(spec.Names.Kind)}
	if spec.Version.Value != "" {
		c.versions[spec.Version.Value] = at(spec.Version)
	}
	for _, version := range spec.Versions {
		if version.Name.Value == "" {
			return nil, "a version has no name"
		}
		if version.Served == nil || *version.Served {
			c.versions[version.Name.Value] = at(version.Name)
		}
	}
	switch {
	case c.group == "", c.kind == "", c.plural == "":
		return nil, "it has no group, kind or plural"
	case spec.Version.Value == "" && len(spec.Versions) == 0:
		return nil, "it has no version"
	case !spec.Scope.IsZero() && spec.Scope.Value != "Cluster" && spec.Scope.Value != "Namespaced":
		return nil, fmt.Sprintf("its scope is %q, neither Cluster nor Namespaced", spec.Scope.Value)
	}
	return c, ""
}

// groupByCRDs returns the group of kinds by their CRDs that serve the version, or else by all of them.
// The group is not known if these CRDs are of different groups.
func groupByCRDs(crds []*crd, kinds []*Kind, version string) (group string, known bool) {
	for _, ofVersion := range []bool{true, false} {
		groups := map[string]bool{}
		for _, c := range crds {
			_, served := c.versions[version]
			if (served || !ofVersion) && slices.ContainsFunc(kinds, func(kind *Kind) bool { return kind.Kind == c.kind }) {
				group, groups[c.group] = c.group, true
			}
		}
		if len(groups) > 0 {
			return group, len(groups) == 1
		}
	}
	return "", false
}

// checkCRDs reports where types and their CRDs disagree, and the served versions of
// CRDs that have no informer.
func checkCRDs(crds []*crd, root string, chosen Choice, model *Model, diags *diag.List) {
	ours := map[string]bool{} // the groups of what is generated
	have := map[string]bool{} // group, kind and version of what is generated
	for group, kind := range model.Kinds() {
		if !group.Internal {
			ours[group.Name] = true
			have[group.Name+"/"+kind.Kind+"/"+kind.Version.Name] = true
			compareKind(kind, crds, root, diags)
		}
	}
	others := map[string][]*crd{} // by group
	for _, c := range crds {
		switch {
		case chosen.excludesKind(c.kind):
			continue
		case !ours[c.group] && whySkipped(model, c.kind) == "": // somebody else's, or of a package that is not named
			if !c.moved && len(c.versions) > 0 {
				others[c.group] = append(others[c.group], c)
			}
			continue
		}
		for _, version := range slices.Sorted(maps.Keys(c.versions)) {
			if !have[c.group+"/"+c.kind+"/"+version] && !skippedByAsking(model, c.kind, version) {
				diags.Errorf(c.versions[version], "CRD: %s of %s/%s has no informer; mark its type with +genclient or +kubebuilder:object:root=true, and name its package%s",
					c.kind, c.group, version, whySkipped(model, c.kind))
			}
		}
	}
	warnOthers(others, diags)
}

// warnOthers warns of the CRDs of groups that nothing is generated for, a line for each group.
func warnOthers(others map[string][]*crd, diags *diag.List) {
	for group, crds := range others {
		var kinds []string
		for _, c := range crds {
			kinds = append(kinds, c.kind)
		}
		slices.Sort(kinds)
		diags.Warnf(crds[0].pos, "CRD: the input has no type of group %q, which has CRDs here; name the package of its types, or leave them out with --exclude %s",
			group, strings.Join(slices.Compact(kinds), ","))
	}
}

// compareKind compares a kind with its CRD, and reports one that has none: all CRDs of its kind are of
// other groups.
func compareKind(kind *Kind, crds []*crd, root string, diags *diag.List) {
	group := kind.Version.Group.Name
	found, ofGroup := false, false
	var elsewhere []*crd
	for _, c := range crds {
		ofGroup = ofGroup || c.group == group
		switch {
		case c.kind != kind.Kind:
		case c.group == group:
			c.compare(kind, diags)
			found = true
		default:
			elsewhere = append(elsewhere, c)
		}
	}
	switch {
	case found:
	case ofGroup:
		diags.Warnf(kind.Pos, "CRD: none of %s of %q below %s, where others of the group are", kind.Kind, group, root)
	case len(elsewhere) == 1:
		c := elsewhere[0]
		c.moved = true
		diags.Errorf(kind.Pos, "group: %q of %s, but its CRD at %s has %q; name it with +groupName", group, kind.Kind, c.pos, c.group)
	}
}

// compare reports the differences of a kind and its CRD.
func (c *crd) compare(kind *Kind, diags *diag.List) {
	version := kind.Version.Name
	if _, ok := c.versions[version]; !ok {
		diags.Errorf(kind.Pos, "version: %s of %s, which its CRD at %s does not serve: that has %s; leave it out with --exclude %s.%s",
			version, kind.Kind, c.pos, strings.Join(slices.Sorted(maps.Keys(c.versions)), ", "), kind.API.Path, kind.Name)
	}
	if c.plural != kind.Resource {
		diags.Errorf(kind.Pos, "resource: %q of %s, but its CRD at %s has %q; name it with +kubebuilder:resource:path=%s or +resourceName=%s",
			kind.Resource, kind.Kind, c.pos, c.plural, c.plural, c.plural)
	}
	if c.namespaced != kind.Namespaced {
		scopes := map[bool]string{true: "Namespaced", false: "Cluster"}
		diags.Errorf(kind.Pos, "scope: %s of %s, but its CRD at %s has %s; name it with +kubebuilder:resource:scope or +genclient:nonNamespaced",
			scopes[kind.Namespaced], kind.Kind, c.pos, scopes[c.namespaced])
	}
}

// skippedByAsking reports whether a marker or an option says that a kind is to have
// no informer.
func skippedByAsking(model *Model, kind, version string) bool {
	return slices.ContainsFunc(model.Skipped, func(skip Skip) bool {
		return skip.Name == kind && skip.Explicit && load.LastElement(skip.Package) == version
	})
}

// whySkipped says where a type of the name is skipped, and why, or "".
func whySkipped(model *Model, kind string) string {
	for _, skip := range model.Skipped {
		if skip.Name == kind && !skip.Explicit {
			return fmt.Sprintf(" (%s: skipped: %s)", skip.Pos, skip.Reason)
		}
	}
	return ""
}
