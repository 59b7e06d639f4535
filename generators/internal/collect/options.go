package collect

import (
	"fmt"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// Choice says which kinds are generated for, and which packages are looked into.
type Choice struct {
	only, not []*pattern
	packages  []*pattern // which are not looked into, by their directories or import paths
}

// pattern matches kinds, of one package or of all, or packages.
type pattern struct {
	text         string // as it was given
	package_, of string // the import path or empty, and the pattern of the kind
	used         bool
}

// qualifiedKind matches a package and a kind: k8s.io/api/core/v1.Pod.
var qualifiedKind = regexp.MustCompile(`^(.+)\.([A-Z*?\[][^/.]*)$`)

func newPattern(text string) *pattern {
	text = strings.TrimSpace(text)
	if parts := qualifiedKind.FindStringSubmatch(text); parts != nil {
		return &pattern{text: text, package_: parts[1], of: parts[2]}
	}
	return &pattern{text: text, of: text}
}

// NewChoice parses generators.Options.Types and Exclude.
func NewChoice(types, exclude []string) Choice {
	var c Choice
	for _, text := range types {
		c.only = append(c.only, newPattern(text))
	}
	for _, text := range exclude {
		if pattern := newPattern(text); pattern.package_ != "" || !strings.ContainsAny(pattern.text, "/.") {
			c.not = append(c.not, pattern)
		} else {
			c.packages = append(c.packages, pattern)
		}
	}
	return c
}

// Wrong returns the first pattern of kinds that is malformed.
func (c Choice) Wrong() (text string, found bool) {
	for _, pattern := range slices.Concat(c.only, c.not) {
		if _, err := path.Match(pattern.of, ""); err != nil || pattern.of == "" {
			return pattern.text, true
		}
	}
	return "", false
}

// PackagesOfKinds are the packages of the kinds that are named in full, to be looked into.
func (c Choice) PackagesOfKinds() []string {
	var paths []string
	for _, pattern := range c.only {
		if pattern.package_ != "" && !slices.Contains(paths, pattern.package_) {
			paths = append(paths, pattern.package_)
		}
	}
	return paths
}

// matches reports whether a pattern matches the kind of a package, which it then
// has been of use for.
func (p *pattern) matches(pkg *load.Package, kind string) bool {
	matched, _ := path.Match(p.of, kind) // wrong finds those that are none
	if !matched || p.package_ != "" && p.package_ != pkg.Path && paths.Absolute(pkg.Loader.Dir, p.package_) != pkg.Dir {
		return false
	}
	p.used = true
	return true
}

// refuses returns why a kind is not chosen, or "".
func (c Choice) refuses(pkg *load.Package, kind string) string {
	for _, pattern := range c.not {
		if pattern.matches(pkg, kind) {
			return "--exclude " + pattern.text
		}
	}
	chosen := len(c.only) == 0
	for _, pattern := range c.only {
		chosen = pattern.matches(pkg, kind) || chosen
	}
	if !chosen {
		return "not among --types"
	}
	return ""
}

// names reports whether the full name of a kind is given.
func (c Choice) names(pkg *load.Package, kind string) bool {
	return slices.ContainsFunc(c.only, func(pattern *pattern) bool {
		return pattern.package_ != "" && pattern.of == kind && pattern.matches(pkg, kind)
	})
}

// excludesKind reports whether a kind of any package is excluded.
func (c Choice) excludesKind(kind string) bool {
	return slices.ContainsFunc(c.not, func(pattern *pattern) bool {
		matched, _ := path.Match(pattern.of, kind)
		matched = matched && pattern.package_ == ""
		pattern.used = pattern.used || matched
		return matched
	})
}

// Excludes reports whether a package is not to be looked into.
func (c Choice) Excludes(workingDir, dir, importPath string) bool {
	excluded := false
	for _, pattern := range c.packages {
		matches := load.Matcher(strings.TrimPrefix(path.Clean(filepath.ToSlash(pattern.text)), "./"))
		rel, err := filepath.Rel(workingDir, dir)
		if err == nil && matches(filepath.ToSlash(rel)) || matches(importPath) {
			pattern.used, excluded = true, true
		}
	}
	return excluded
}

// CheckPackages warns of patterns of packages that match nothing.
func (c Choice) CheckPackages(diags *diag.List) {
	for _, pattern := range c.packages {
		if !pattern.used {
			diags.Warnf(diag.NoPosition, "--exclude: no package matches %s; leave it out, or name a package that the patterns match", pattern.text)
		}
	}
}

// check reports patterns that match nothing or are none.
func (c Choice) check(model *Model, diags *diag.List) {
	names := model.names()
	for _, pattern := range c.only {
		if !pattern.used {
			diags.Errorf(diag.NoPosition, "--types: no type %s%s; --list shows what there is", pattern.text, suggest.DidYouMean(pattern.of, "", names))
		}
	}
	for _, pattern := range c.not {
		if !pattern.used && !slices.Contains(names, pattern.of) {
			diags.Warnf(diag.NoPosition, "--exclude: no marked type %s%s", pattern.text, suggest.DidYouMean(pattern.of, "", names))
		}
	}
}

// Options say which types there are, and what they are called. They are described where
// callers set them, in generators.Options.
type Options struct {
	Dir                                   string // absolute
	Types, Exclude                        []string
	PluralExceptions, LintRules           []string
	CRDs                                  string
	Clients                               bool
	VersionedClientset, InternalClientset string
}

// Clientsets are the import paths of clientsets that are named.
func (o *Options) Clientsets() []string {
	return slices.DeleteFunc([]string{o.VersionedClientset, o.InternalClientset}, func(path string) bool { return path == "" })
}

// HasClientset reports whether a clientset is named at all.
func (o *Options) HasClientset() bool {
	return o.VersionedClientset != "" || o.InternalClientset != ""
}

// clientset returns the import path of the clientset for internal or other
// versions, or "".
func (o *Options) clientset(internal bool) string {
	if internal {
		return o.InternalClientset
	}
	return o.VersionedClientset
}

// ParsePlurals parses plurals by kind, as Kind:Plural.
func ParsePlurals(pairs []string) (map[string]string, error) {
	exceptions := map[string]string{}
	for _, pair := range pairs {
		kind, plural, ok := strings.Cut(pair, ":")
		if !ok || !token.IsIdentifier(kind) || !token.IsIdentifier(plural) || !token.IsExported(plural) {
			return nil, fmt.Errorf("--plural-exceptions: %q is not a pair Kind:Plural with capital letters, such as DNS:DNSes", pair)
		}
		if previous, ok := exceptions[kind]; ok && previous != plural {
			return nil, fmt.Errorf("--plural-exceptions: two plurals of %s: %s and %s", kind, previous, plural)
		}
		exceptions[kind] = plural
	}
	return exceptions, nil
}
