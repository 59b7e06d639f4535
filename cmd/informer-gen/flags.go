package main

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/informer-gen/informer-gen/generators"
	"github.com/informer-gen/informer-gen/internal/suggest"
)

// flags is a command line.
type flags struct {
	options   generators.Options
	inputs    []string // --input-dirs
	prune     bool
	format    string // of what is printed
	verbosity int
	version   bool
	help      bool
	config    string // --config
	base      string // --output-base
	trim      string // --trim-path-prefix

	set      *pflag.FlagSet
	warnings []string // of flags that have no effect, or another one than before
}

// Values of -o.
const (
	formatText   = "table"
	formatJSON   = "json"
	formatGitHub = "github"
)

var formats = []string{formatText, formatJSON, formatGitHub}

// newFlags declares the flags. Usages are as wide as the second column of the help page.
func newFlags() *flags {
	f := &flags{set: pflag.NewFlagSet("informer-gen", pflag.ContinueOnError)}
	o, set := &f.options, f.set
	set.SetOutput(io.Discard)
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(current(name))
	})
	set.StringSliceVarP(&f.inputs, "input-dirs", "i", nil, "comma list of `patterns`, the same as positional ones")
	set.StringSliceVar(&o.PluralExceptions, "plural-exceptions", nil, "comma list of `Kind:Plural`, where the rule gives\nanother plural")
	set.StringSliceVar(&o.LintRules, "lint-rules", nil, "comma list of `rules` that tags must keep:\n"+"known-tags-only, require-explicit-disablement")
	set.StringSliceVar(&o.Types, "types", nil, "comma list of `kinds` to generate for; wildcards, and\npackage.Kind for a type without a marker")
	set.StringSliceVar(&o.Exclude, "exclude", nil, "comma list of `patterns` of kinds or packages to skip")
	set.StringVar(&o.CRDs, "crds", "", "`directory` with the CRDs of the types, to compare with")
	set.BoolVar(&o.Strict, "strict", false, "make errors of warnings, and of types that are\nskipped without being asked for")
	set.StringVar(&f.config, "config", "", "`file` with flags (default informer-gen.yaml, if there\nis one in the working directory)")
	set.StringVar(&o.OutputDir, "output-dir", "", "`directory` of the informers\n(default pkg/generated/informers in the module)")
	set.StringVarP(&o.OutputPackage, "output-pkg", "p", "", "its import `path` (default what the nearest go.mod says)")
	set.StringVar(&o.ListersPackage, "listers-package", "", "import `path` of the listers\n(default listers, beside the informers)")
	set.BoolVar(&o.SkipListers, "skip-listers", false, "write no listers: use those at --listers-package")
	set.BoolVar(&o.Clients, "clients", false, "write typed clients as well (Create, UpdateStatus …), in\nclients beside the informers; not with a clientset")
	set.BoolVar(&o.Minimal, "minimal", false, "leave out what only callers of code-generator's output\nneed: constructors.go, generic.go, internalinterfaces,\nempty expansions, OrderInformer (TypedOrderInformer\nstays), and of the factory Start, WaitForCacheSync and\nothers that StartWithContext and WaitForSync replace")
	set.BoolVar(&o.SingleDirectory, "single-directory", false, "leave out the level externalversions, with a clientset")
	set.StringSliceVar(&o.Templates, "templates", nil, "comma list of `directories` with templates of your own")
	set.StringVar(&o.HeaderFile, "go-header-file", "", "`file` with the comment that begins every file;\nYEAR in it stands for the year a file is first written")
	set.BoolVar(&f.prune, "prune", true, "remove files of earlier runs that are not generated\nany more; --prune=false keeps them")
	set.StringVar(&o.VersionedClientset, "versioned-clientset-package", "", "import `path` of a clientset to list and watch with")
	set.StringVar(&o.InternalClientset, "internal-clientset-package", "", "import `path` of a clientset for internal versions")
	set.BoolVar(&o.Verify, "verify", false, "print what differs, is missing or is stale as a diff;\nexit status 1 if anything does")
	set.BoolVar(&o.List, "list", false, "print the types found, and why others are skipped")
	set.StringVarP(&f.format, "output", "o", formatText, "`format` of what is printed: json, github (annotations of\nworkflows), or table, the text of --list")
	set.CountVarP(&f.verbosity, "v", "v", "tell what is loaded and how long each step took;\n-v 2 also each file that changes")
	set.BoolVar(&f.version, "version", false, "print the version")
	set.BoolVarP(&f.help, "help", "h", false, "print this page")
	f.declareOlder()
	return f
}

// parse parses a command line. The flags that it returns have their set even if there is an error.
func parse(args []string) (*flags, error) {
	f := newFlags()
	args, err := spell(f.set, args)
	if err != nil {
		return f, err
	}
	if err := f.set.Parse(args); err != nil {
		return f, explain(f.set, err)
	}
	if f.help {
		return f, pflag.ErrHelp
	}
	if err := f.readConfig(); err != nil {
		return f, err
	}
	f.options.Patterns = append(f.inputs, f.set.Args()...)
	f.options.KeepStale = !f.prune
	return f, errors.Join(f.checkOutput(), f.resolveOlder())
}

// checkOutput checks the output folder and -o, which is the format of messages now and was the base folder
// of the output.
func (f *flags) checkOutput() error {
	for _, name := range []string{"output-dir", "output-base"} {
		if flag := f.set.Lookup(name); flag.Changed && flag.Value.String() == "" {
			return fmt.Errorf("--%s: is empty; name a directory, or leave the flag out", name)
		}
	}
	known, isPath := slices.Contains(formats, f.format), strings.ContainsAny(f.format, `./\`)
	switch {
	case !known && (f.options.List || !isPath):
		return fmt.Errorf("--output: unknown format %q; expected %s%s%s", f.format, strings.Join(formats, ", "),
			suggest.DidYouMean(f.format, "", formats), asFolder(f.format, f.options.List))
	case !known:
		f.base, f.format = f.format, formatText
	case !f.options.List && f.format == formatText && f.set.Changed("output"):
		return fmt.Errorf("--output: %s is a format of --list; a directory of that name is --output-dir ./%s", f.format, f.format)
	}
	return nil
}

// asFolder says how to write the value of -o as a base folder, which it was in earlier generators.
func asFolder(value string, list bool) string {
	if list || value == "" {
		return ""
	}
	return fmt.Sprintf("; a directory of that name is --output-dir ./%s", value)
}

// The texts of pflag's errors. They have types only since 1.0.7.
var (
	invalidValue = regexp.MustCompile(`^invalid argument (".*") for "(?:-., )?--([^"]+)" flag: `)
	unknownFlag  = regexp.MustCompile(`^unknown flag: --(..+)$`)
)

// explain adds to an error of pflag what may have been meant.
func explain(set *pflag.FlagSet, err error) error {
	if found := invalidValue.FindStringSubmatch(err.Error()); found != nil {
		return fmt.Errorf("--%s: invalid value: %s; expected %s", found[2], found[1], expected(set.Lookup(found[2])))
	}
	found := unknownFlag.FindStringSubmatch(err.Error())
	if found == nil {
		return err
	}
	name := found[1]
	if meant, ok := elsewhere[name]; ok {
		return fmt.Errorf("%w; did you mean --%s?", err, meant)
	}
	var names []string
	set.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			names = append(names, flag.Name)
		}
	})
	return fmt.Errorf("%w%s", err, suggest.DidYouMean(name, "--", names))
}

// expected says what a flag's value must be.
func expected(flag *pflag.Flag) string {
	switch flag.Value.Type() {
	case "bool":
		return "true or false"
	case "count":
		return "a number"
	default:
		return "a comma list, with quotes around whole elements only"
	}
}
