package generators

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	modpath "golang.org/x/mod/module"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// Options say from which packages to generate what, and where. Only Patterns are
// required.
type Options struct {
	// Dir is the working directory, which relative paths start from and
	// positions are relative to. Default: the working directory of the process.
	Dir string
	// Patterns name the API packages: directories, directories followed by
	// /..., or import paths (with or without /...).
	Patterns []string
	// OutputDir is where informers go, relative to Dir. Default:
	// pkg/generated/informers below the root of the module that holds Dir.
	OutputDir string
	// OutputPackage is the import path of OutputDir. Default: what the nearest
	// go.mod says.
	OutputPackage string
	// ListersPackage is the import path of the listers. Their directory lies
	// to OutputDir as their import path lies to OutputPackage. Default: the
	// sibling "listers" of OutputPackage.
	ListersPackage string
	// SkipListers uses the listers that stand at ListersPackage, and writes none.
	SkipListers bool
	// VersionedClientset is the import path of a clientset to list and watch
	// with. Without one objects come over REST.
	VersionedClientset string
	// Clients generates typed clients as well, in the sibling "clients" of the output, with
	// which a project without a clientset creates and updates objects.
	Clients bool
	// Minimal leaves out what only existing callers of code-generator's output need.
	Minimal bool
	// InternalClientset is the import path of the clientset for internal versions.
	// Without one, internal versions are left out.
	InternalClientset string
	// SingleDirectory leaves out the level "externalversions" that there is
	// with a clientset. Without a clientset there never is one.
	SingleDirectory bool
	// PluralExceptions are the plurals of kinds that do not follow the rule, as
	// Kind:Plural.
	PluralExceptions []string
	// Templates are directories with templates *.tmpl whose files are generated as well. See
	// package templates.
	Templates []string
	// HeaderFile holds the text that every file begins with. The word YEAR in
	// it stands for the year that a file on disk already has there, or else
	// the current one.
	HeaderFile string
	// LintRules are names of upstream's rules: known-tags-only rejects tags of the +k8s:…-gen
	// family that no generator of Kubernetes knows; require-explicit-disablement wants a
	// package of API types to say for each generator that it usually needs whether it is on
	// or off.
	LintRules []string
	// Types are the kinds to generate for, as patterns of path.Match; others are
	// skipped. "k8s.io/api/core/v1.Pod" is one of a package, and needs no marker.
	// Default: all that are marked.
	Types []string
	// Exclude are kinds that are skipped, as in Types, and packages that are not
	// looked into, as in Patterns.
	Exclude []string
	// CRDs is a directory, or a file, with the CRDs of the types, as YAML. Types whose
	// group, version, resource or scope differ from their CRD are errors. Default: the
	// types are not compared with CRDs.
	CRDs string
	// Strict makes warnings errors, and also types that are skipped although no
	// marker and no option says so.
	Strict bool
	// Verify writes nothing, and reports what a run without it would change.
	Verify bool
	// List stops before anything is generated.
	List bool
	// KeepStale leaves files of earlier runs alone that are not generated any
	// more.
	KeepStale bool
	// Log gets a line for each step: what is loaded and how long it took.
	// It may be nil.
	Log func(message string)
	// Notice gets messages about steps that may take long, such as the go command's about
	// modules that it downloads, a line at a time. It may be nil.
	Notice func(message string)
}

// Validate checks what can be checked without looking at files.
func (o *Options) Validate() error {
	if len(o.Patterns) == 0 && len(collect.NewChoice(o.Types, nil).PackagesOfKinds()) == 0 {
		return errors.New("no input: name the API packages, such as ./api/...") //nolint:staticcheck // the dots are of the pattern
	}
	for _, pattern := range o.Patterns {
		if strings.TrimSpace(pattern) == "" {
			return errors.New("empty pattern: name a directory, ./…/... or an import path")
		}
	}
	for _, flag := range []struct{ name, path string }{
		{"--output-pkg", o.OutputPackage}, {"--listers-package", o.ListersPackage},
		{"--versioned-clientset-package", o.VersionedClientset}, {"--internal-clientset-package", o.InternalClientset},
	} {
		if err := modpath.CheckImportPath(flag.path); flag.path != "" && err != nil {
			return fmt.Errorf("%s: %q is not an import path", flag.name, flag.path)
		}
	}
	if wrong, ok := collect.NewChoice(o.Types, o.Exclude).Wrong(); ok {
		return fmt.Errorf("--types, --exclude: %q is no pattern of kinds, such as Pod, Pod* or k8s.io/api/core/v1.Pod", wrong)
	}
	if o.Verify && o.List {
		return errors.New("--verify and --list: one at a time")
	}
	if o.SkipListers && o.ListersPackage == "" {
		return errors.New("--skip-listers: needs --listers-package, the listers to use")
	}
	if o.Clients && o.types().HasClientset() {
		return errors.New("--clients: with a clientset, which writes already; use that, or leave it out")
	}
	for _, rule := range o.LintRules {
		if !slices.Contains(collect.LintRules, rule) {
			return fmt.Errorf("--lint-rules: unknown rule %q; known: %s%s", rule, strings.Join(collect.LintRules, ", "), suggest.DidYouMean(rule, "", collect.LintRules))
		}
	}
	if _, err := collect.ParsePlurals(o.PluralExceptions); err != nil {
		return err
	}
	return nil
}

// types are the options that say which types there are, and what they are called.
func (o *Options) types() *collect.Options {
	return &collect.Options{
		Dir: o.Dir, Types: o.Types, Exclude: o.Exclude, PluralExceptions: o.PluralExceptions, LintRules: o.LintRules, CRDs: o.CRDs,
		Clients: o.Clients, VersionedClientset: o.VersionedClientset, InternalClientset: o.InternalClientset,
	}
}

// ImportPath returns the import path of a directory, which need not exist and may be relative
// to Dir: what the nearest go.mod says.
func (o *Options) ImportPath(dir string) (string, error) {
	dir, err := filepath.Abs(paths.Absolute(o.Dir, dir))
	if err != nil {
		return "", err
	}
	return new(load.Modules).ImportPath(dir)
}

// begin begins a step of a run. The function that it returns ends it: it logs how long the step
// took, and what came of it.
func (o *Options) begin(step string) (end func(result string)) {
	started := time.Now()
	return func(result string) {
		o.log("%-10s  %-8v  %s", step, time.Since(started).Round(100*time.Microsecond), result)
	}
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}
