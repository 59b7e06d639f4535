package collect

import (
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// The rules that Options.LintRules may name, as upstream calls them.
const (
	knownTagsOnly       = "known-tags-only"
	explicitDisablement = "require-explicit-disablement"
)

// LintRules are the names of all rules.
var LintRules = []string{knownTagsOnly, explicitDisablement}

// generatorTags are the tags of Kubernetes' code generators.
var generatorTags = []string{
	"k8s:applyconfiguration-gen", "k8s:client-gen", "k8s:conversion-gen", "k8s:conversion-gen-external-types", "k8s:deepcopy-gen",
	"k8s:defaulter-gen", "k8s:defaulter-gen-input", "k8s:informer-gen", "k8s:lister-gen", "k8s:openapi-gen", "k8s:openapi-model-package",
	"k8s:protobuf-gen", "k8s:register-gen", "k8s:validation-gen", "k8s:validation-gen-input",
	"k8s:validation-gen-nolint", "k8s:validation-gen-scheme-registry", "k8s:validation-gen-test-fixture", "k8s:validation-gen-test-targets",
	"k8s:prerelease-lifecycle-gen",
}

// lint applies the rules to the markers of a package.
func lint(pkg *load.Package, own packageMarkers, rules []string, diags *diag.List) {
	if slices.Contains(rules, knownTagsOnly) {
		for _, m := range own.all {
			if name, ok := generatorTag(m); ok && !slices.Contains(generatorTags, name) {
				diags.Errorf(pkg.Loader.Position(m.pos), "+%s: unknown tag%s", name, suggest.DidYouMean(name, "+", generatorTags))
			}
		}
	}
	if slices.Contains(rules, explicitDisablement) {
		for _, tag := range expectedTags(pkg, own) {
			if !own.all.has(tag) {
				diags.Errorf(pkg.Loader.Position(pkg.Files[0].Syntax.Name.Pos()), "+%s: missing in %s; set it, or disable the generator with +%s=false", tag, pkg.Path, tag)
			}
		}
	}
}

// generatorTag returns the name of a +k8s:…-gen tag without what follows its
// second colon.
func generatorTag(m marker) (string, bool) {
	rest, ok := strings.CutPrefix(m.name, "k8s:")
	if !ok || !strings.Contains(rest, "-gen") {
		return "", false
	}
	rest, _, _ = strings.Cut(rest, ":")
	return "k8s:" + rest, true
}

// expectedTags are the generators that a package usually needs: deepcopy where
// it declares a version of API types, and conversion, defaulting and validation
// where it holds what belongs to one.
func expectedTags(pkg *load.Package, own packageMarkers) []string {
	isAPI := slices.ContainsFunc(own.all, func(m marker) bool {
		name, ok := generatorTag(m)
		return m.name == "groupName" || ok && slices.Contains(generatorTags, name)
	})
	if !isAPI || !versionElement.MatchString(load.LastElement(pkg.Path)) {
		return nil
	}
	for _, decl := range pkg.Declarations() {
		if strings.Contains(load.TagOf(decl.Embeds("TypeMeta")), `json:",`) {
			return []string{"k8s:deepcopy-gen"}
		}
	}
	if own.all.has("k8s:defaulter-gen") || own.all.has("k8s:validation-gen") {
		return []string{"k8s:conversion-gen", "k8s:defaulter-gen", "k8s:validation-gen"}
	}
	return nil
}
