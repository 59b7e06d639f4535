package generators

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/internal/suggest"
)

// choice holds Options.Types and Options.Exclude.
type choice struct {
	only, not []kindPattern
	packages  []packagePattern // which are not looked into
}

// packagePattern matches packages, by their directories or import paths.
type packagePattern struct {
	text string
	used *bool
}

// kindPattern matches kinds, of one package or of all.
type kindPattern struct {
	text         string // as it was given
	package_, of string // the import path or empty, and the pattern of the kind
	used         *bool
}

// qualifiedKind matches a package and a kind: k8s.io/api/core/v1.Pod.
var qualifiedKind = regexp.MustCompile(`^(.+)\.([A-Z*?\[][^/.]*)$`)

func newKindPattern(text string) kindPattern {
	text = strings.TrimSpace(text)
	if parts := qualifiedKind.FindStringSubmatch(text); parts != nil {
		return kindPattern{text: text, package_: parts[1], of: parts[2], used: new(bool)}
	}
	return kindPattern{text: text, of: text, used: new(bool)}
}

// newChoice parses the options.
func newChoice(o *Options) choice {
	var c choice
	for _, text := range o.Types {
		c.only = append(c.only, newKindPattern(text))
	}
	for _, text := range o.Exclude {
		text = strings.TrimSpace(text)
		if pattern := newKindPattern(text); pattern.package_ != "" || !strings.ContainsAny(text, "/.") {
			c.not = append(c.not, pattern)
		} else {
			c.packages = append(c.packages, packagePattern{text, new(bool)})
		}
	}
	return c
}

// typePackages are the packages that Types names, to be looked into.
func (o *Options) typePackages() []string {
	var paths []string
	for _, pattern := range newChoice(o).only {
		if pattern.package_ != "" && !slices.Contains(paths, pattern.package_) {
			paths = append(paths, pattern.package_)
		}
	}
	return paths
}

// matches reports whether a pattern matches the kind of a package, which it then
// has been of use for.
func (p kindPattern) matches(pkg *Package, kind string) bool {
	matched, _ := path.Match(p.of, kind) // a wrong pattern is found by check
	if !matched || p.package_ != "" && p.package_ != pkg.Path && absolute(pkg.loader.dir, p.package_) != pkg.Dir {
		return false
	}
	*p.used = true
	return true
}

// refuses returns why a kind is not chosen, or "".
func (c choice) refuses(pkg *Package, kind string) string {
	for _, pattern := range c.not {
		if pattern.matches(pkg, kind) {
			return "--exclude " + pattern.text
		}
	}
	chosen := len(c.only) == 0
	for _, pattern := range c.only {
		if pattern.matches(pkg, kind) {
			chosen = true
		}
	}
	if !chosen {
		return "not among --types"
	}
	return ""
}

// names reports whether the full name of a kind is given.
func (c choice) names(pkg *Package, kind string) bool {
	return slices.ContainsFunc(c.only, func(pattern kindPattern) bool {
		return pattern.package_ != "" && pattern.of == kind && pattern.matches(pkg, kind)
	})
}

// excludesKind reports whether a kind of any package is excluded.
func (c choice) excludesKind(kind string) bool {
	return slices.ContainsFunc(c.not, func(pattern kindPattern) bool {
		matched, _ := path.Match(pattern.of, kind)
		return matched && pattern.package_ == ""
	})
}

// excludes reports whether a package is not to be looked into.
func (c choice) excludes(workingDir, dir, importPath string) bool {
	excluded := false
	for _, pattern := range c.packages {
		matches := matcher(strings.TrimPrefix(path.Clean(filepath.ToSlash(pattern.text)), "./"))
		if matches(filepath.ToSlash(relativeTo(workingDir, dir))) || matches(importPath) {
			*pattern.used, excluded = true, true
		}
	}
	return excluded
}

// checkPackages warns of patterns of packages that match nothing.
func (c choice) checkPackages(diags *diagnostics) {
	for _, pattern := range c.packages {
		if !*pattern.used {
			diags.warnf(noPosition, "--exclude: no package matches %s; leave it out, or name a package that the patterns match", pattern.text)
		}
	}
}

func relativeTo(dir, path string) string {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return path
	}
	return rel
}

// check reports patterns that match nothing or are none.
func (c choice) check(model *Model, diags *diagnostics) {
	names := model.names()
	for _, pattern := range c.only {
		if !*pattern.used {
			diags.errorf(noPosition, "--types: no type %s%s; --list shows what there is", pattern.text, suggest.DidYouMean(pattern.of, "", names))
		}
	}
	for _, pattern := range c.not {
		if !*pattern.used && !slices.Contains(names, pattern.of) {
			diags.warnf(noPosition, "--exclude: no marked type %s%s", pattern.text, suggest.DidYouMean(pattern.of, "", names))
		}
	}
}

// names are those of the types that were found, also of skipped ones.
func (m *Model) names() []string {
	var names []string
	m.kinds(func(_ *Group, _ *Version, kind *Kind) { names = append(names, kind.Name, kind.APIKind) })
	for _, skip := range m.Skipped {
		names = append(names, skip.Name)
	}
	return names
}
