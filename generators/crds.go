package generators

import (
	"bytes"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// crd is what a manifest says of the types of a resource.
type crd struct {
	group, kind, plural string
	namespaced          bool
	versions            map[string]token.Position // those that are served
	pos                 token.Position
}

// manifest is a CustomResourceDefinition as far as it matters here, or a list.
type manifest struct {
	Kind  string      `yaml:"kind"`
	Items []yaml.Node `yaml:"items"`
	Spec  struct {
		Group   string    `yaml:"group"`
		Scope   yaml.Node `yaml:"scope"`
		Version yaml.Node `yaml:"version"` // of v1beta1
		Names   struct {
			Kind   yaml.Node `yaml:"kind"`
			Plural string    `yaml:"plural"`
		} `yaml:"names"`
		Versions []struct {
			Name   yaml.Node `yaml:"name"`
			Served *bool     `yaml:"served"`
		} `yaml:"versions"`
	} `yaml:"spec"`
}

// readCRDs reads the CRDs of a file, or of all YAML and JSON files below a
// directory. Files that are not YAML, such as templates of charts, are left out
// unless they say that they have a CRD.
func readCRDs(dir, root string, diags *diagnostics) ([]*crd, error) {
	var found []*crd
	files := 0
	err := filepath.WalkDir(absolute(dir, root), func(path string, entry fs.DirEntry, err error) error {
		extension := filepath.Ext(path)
		if err != nil || !entry.Type().IsRegular() || extension != ".yaml" && extension != ".yml" && extension != ".json" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(content, []byte("CustomResourceDefinition")) {
			return err
		}
		files++
		crds, err := parseCRDs(relative(dir, path), content)
		if err != nil {
			diags.warnf(token.Position{Filename: relative(dir, path)}, "--crds: not read: %v", err)
		}
		found = append(found, crds...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("--crds: %w", err)
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("--crds: %s: no CustomResourceDefinition in %s; name the directory of their YAML files", root, count(files, "file"))
	}
	return found, nil
}

// parseCRDs reads the CRDs of a file.
func parseCRDs(name string, content []byte) ([]*crd, error) {
	var found []*crd
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		switch {
		case err != nil && err.Error() == "EOF":
			return found, nil
		case err != nil:
			return found, err
		}
		crds, err := crdsOf(name, &node)
		if err != nil {
			return found, err
		}
		found = append(found, crds...)
	}
}

func crdsOf(name string, node *yaml.Node) ([]*crd, error) {
	var m manifest
	if err := node.Decode(&m); err != nil {
		return nil, nil //nolint:nilerr // something else than an object of Kubernetes
	}
	if m.Kind != "CustomResourceDefinition" {
		var found []*crd
		for _, item := range m.Items {
			crds, err := crdsOf(name, &item)
			if err != nil {
				return nil, err
			}
			found = append(found, crds...)
		}
		return found, nil
	}
	at := func(node yaml.Node) token.Position {
		return token.Position{Filename: name, Line: node.Line, Column: node.Column}
	}
	spec := m.Spec
	c := &crd{group: spec.Group, kind: spec.Names.Kind.Value, plural: spec.Names.Plural, namespaced: spec.Scope.Value != "Cluster",
		versions: map[string]token.Position{}, pos: at(spec.Names.Kind)}
	if c.group == "" || c.kind == "" || c.plural == "" {
		return nil, errors.New("a CRD without group, kind or plural")
	}
	if spec.Version.Value != "" {
		c.versions[spec.Version.Value] = at(spec.Version)
	}
	for _, version := range spec.Versions {
		if version.Served == nil || *version.Served {
			c.versions[version.Name.Value] = at(version.Name)
		}
	}
	return []*crd{c}, nil
}

// checkCRDs reports where types and their CRDs disagree, and the served versions of
// CRDs that have no informer.
func checkCRDs(options *Options, model *Model, diags *diagnostics) error {
	crds, err := readCRDs(options.Dir, options.CRDs, diags)
	if err != nil {
		return err
	}
	groups := map[string]bool{} // of the CRDs
	for _, c := range crds {
		groups[c.group] = true
	}
	have := map[string]bool{} // group, kind and version of what is generated
	model.kinds(func(group *Group, version *Version, kind *Kind) {
		if group.Internal {
			return
		}
		have[group.Name+"/"+kind.APIKind+"/"+version.Name] = true
		found := false
		for _, c := range crds {
			if c.group == group.Name && c.kind == kind.APIKind {
				c.compare(kind, version.Name, diags)
				found = true
			}
		}
		if !found && groups[group.Name] {
			diags.warnf(kind.Pos, "CRD: none of %s of %q below %s, where others of the group are", kind.APIKind, group.Name, options.CRDs)
		}
		if elsewhere := otherGroup(crds, group, kind); elsewhere != nil {
			diags.errorf(kind.Pos, "group: %q of %s, but its CRD at %s has %q; name it with +groupName", group.Name, kind.APIKind, elsewhere.pos, elsewhere.group)
		}
	})
	chosen := newChoice(options)
	for _, c := range crds {
		if chosen.excludesKind(c.kind) {
			continue
		}
		for _, version := range sortedKeys(c.versions) {
			if !have[c.group+"/"+c.kind+"/"+version] && !skippedByAsking(model, c.kind, version) {
				diags.errorf(c.versions[version], "CRD: %s of %s/%s has no informer; mark its type with +genclient or +kubebuilder:object:root=true, and name its package%s",
					c.kind, c.group, version, whySkipped(model, c.kind))
			}
		}
	}
	return nil
}

// otherGroup returns the only CRD of a kind, if it is of another group, and the
// type's group has none.
func otherGroup(crds []*crd, group *Group, kind *Kind) *crd {
	var found []*crd
	for _, c := range crds {
		if c.group == group.Name {
			return nil
		}
		if c.kind == kind.APIKind {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		return nil
	}
	return found[0]
}

// compare reports the differences of a kind and its CRD.
func (c *crd) compare(kind *Kind, version string, diags *diagnostics) {
	if _, ok := c.versions[version]; !ok {
		diags.errorf(kind.Pos, "version: %s of %s, which its CRD at %s does not serve: that has %s; leave it out with --exclude %s.%s",
			version, kind.APIKind, c.pos, strings.Join(sortedKeys(c.versions), ", "), kind.Package, kind.Name)
	}
	if c.plural != kind.Resource {
		diags.errorf(kind.Pos, "resource: %q of %s, but its CRD at %s has %q; name it with +kubebuilder:resource:path=%s or +resourceName=%s",
			kind.Resource, kind.APIKind, c.pos, c.plural, c.plural, c.plural)
	}
	if c.namespaced != kind.Namespaced {
		scopes := map[bool]string{true: "Namespaced", false: "Cluster"}
		diags.errorf(kind.Pos, "scope: %s of %s, but its CRD at %s has %s; name it with +kubebuilder:resource:scope or +genclient:nonNamespaced",
			scopes[kind.Namespaced], kind.APIKind, c.pos, scopes[c.namespaced])
	}
}

func sortedKeys(versions map[string]token.Position) []string {
	var names []string
	for name := range versions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// skippedByAsking reports whether a marker or an option says that a kind is to have
// no informer.
func skippedByAsking(model *Model, kind, version string) bool {
	return slices.ContainsFunc(model.Skipped, func(skip Skip) bool {
		return skip.Name == kind && skip.Explicit && lastElement(skip.Package) == version
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
