package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// resource is the API server's knowledge of a kind in one version.
type resource struct {
	plural     string
	namespaced bool
	scoped     bool   // whether the truth says what namespaced is
	where      string // relative to the module
}

// truth holds what a project says itself, by group/version/kind from its CRDs, or by group/version/plural
// from its informers.
type truth struct {
	byKind   map[string]resource
	byPlural map[string]string
}

// manifest is a CustomResourceDefinition as far as it matters here.
type manifest struct {
	Kind  string     `json:"kind"`
	Items []manifest `json:"items"`
	Spec  struct {
		Group   string `json:"group"`
		Scope   string `json:"scope"`
		Version string `json:"version"`
		Names   struct {
			Kind   string `json:"kind"`
			Plural string `json:"plural"`
		} `json:"names"`
		Versions []struct {
			Name   string `json:"name"`
			Served *bool  `json:"served"`
		} `json:"versions"`
	} `json:"spec"`
}

// readTruth reads what a project says in the directories of its module.
func readTruth(p project, dir string) (truth, error) {
	found := truth{byKind: map[string]resource{}, byPlural: map[string]string{}}
	for _, crds := range p.crds {
		if err := found.addManifests(dir, crds); err != nil {
			return found, err
		}
	}
	for _, informers := range p.informers {
		if err := found.addInformers(dir, informers); err != nil {
			return found, err
		}
	}
	if len(found.byKind)+len(found.byPlural) == 0 {
		return found, fmt.Errorf("%s: no CRD and no informer found", p.module)
	}
	return found, nil
}

// addManifests reads the CRDs of a file or of all files below a directory.
func (t truth) addManifests(dir, from string) error {
	return filepath.WalkDir(filepath.Join(dir, from), func(path string, entry fs.DirEntry, err error) error {
		if extension := filepath.Ext(path); err != nil || entry.IsDir() || extension != ".yaml" && extension != ".yml" && extension != ".json" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(content, []byte("CustomResourceDefinition")) {
			return err
		}
		where, _ := filepath.Rel(dir, path)
		for document := range bytes.SplitSeq(content, []byte("\n---")) {
			var m manifest
			if err := yaml.Unmarshal(document, &m); err == nil { // templates of charts are no YAML
				t.addManifest(m, where)
			}
		}
		return nil
	})
}

func (t truth) addManifest(m manifest, where string) {
	for _, item := range m.Items {
		t.addManifest(item, where)
	}
	if m.Kind != "CustomResourceDefinition" {
		return
	}
	var versions []string
	if m.Spec.Version != "" {
		versions = append(versions, m.Spec.Version)
	}
	for _, version := range m.Spec.Versions {
		if version.Served == nil || *version.Served {
			versions = append(versions, version.Name)
		}
	}
	for _, version := range versions {
		t.byKind[m.Spec.Group+"/"+version+"/"+m.Spec.Names.Kind] = resource{plural: m.Spec.Names.Plural, namespaced: m.Spec.Scope != "Cluster", scoped: true, where: where}
	}
}

// addInformers reads the resources of the generic.go that code-generator wrote: its
// comments name group and version, its cases the plural.
func (t truth) addInformers(dir, from string) error {
	file := filepath.Join(dir, from)
	if filepath.Ext(file) != ".go" {
		file = filepath.Join(file, "generic.go")
	}
	syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	type line struct {
		pos  token.Pos
		text string
	}
	var lines []line
	for _, group := range syntax.Comments {
		for _, comment := range group.List {
			if text := strings.TrimSpace(strings.TrimPrefix(comment.Text, "//")); strings.HasPrefix(text, "Group=") {
				lines = append(lines, line{comment.Pos(), text})
			}
		}
	}
	ast.Inspect(syntax, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		selector, ok := call.Fun.(*ast.SelectorExpr)
		literal, isLiteral := call.Args[0].(*ast.BasicLit)
		if !ok || !isLiteral || selector.Sel.Name != "WithResource" {
			return true
		}
		plural, _ := strconv.Unquote(literal.Value)
		text := ""
		for _, line := range lines {
			if line.pos < call.Pos() {
				text = line.text
			}
		}
		group, version, _ := strings.Cut(strings.TrimPrefix(text, "Group="), ", Version=")
		if group == "core" {
			group = ""
		}
		t.byPlural[group+"/"+strings.ToLower(version)+"/"+plural] = from
		return true
	})
	return nil
}
