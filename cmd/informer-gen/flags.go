package main

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"github.com/informer-gen/informer-gen/generators"
)

// flags is a parsed command line.
type flags struct {
	options   generators.Options
	set       *pflag.FlagSet
	format    string // of --list
	verbosity int
	version   bool
}

// groups are the flags in the order of the help page.
var groups = []struct {
	title string
	names []string
}{
	{"Input", []string{"input-dirs", "plural-exceptions", "lint-rules"}},
	{"Output", []string{"output-dir", "output-pkg", "listers-package", "skip-listers", "single-directory", "go-header-file", "prune"}},
	{"Clientset", []string{"versioned-clientset-package", "internal-clientset-package"}},
	{"Instead of writing", []string{"verify", "list", "output"}},
	{"Other", []string{"v", "version", "help"}},
}

// older are names of earlier generators for flags that are called otherwise here.
var older = map[string]string{"output-package": "output-pkg", "output-base": "output-dir", "verify-only": "verify"}

// parse reads a command line. The flags it returns have their set also beside
// an error.
func parse(args []string) (*flags, error) {
	f := &flags{set: pflag.NewFlagSet("informer-gen", pflag.ContinueOnError)}
	o, set := &f.options, f.set
	set.SetOutput(discard{})
	set.SortFlags = false
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		name = strings.ReplaceAll(name, "_", "-")
		if current, ok := older[name]; ok {
			name = current
		}
		return pflag.NormalizedName(name)
	})
	inputs := set.StringSliceP("input-dirs", "i", nil, "`patterns` of API packages; the same as positional ones")
	set.StringSliceVar(&o.PluralExceptions, "plural-exceptions", nil, "`Kind:Plural` pairs where the rule gives another plural")
	set.StringSliceVar(&o.LintRules, "lint-rules", nil, "`rules` that tags must keep: "+strings.Join(generators.LintRuleNames, ", "))
	set.StringVar(&o.OutputDir, "output-dir", "", "`directory` of the informers (default pkg/generated/informers in the module)")
	set.StringVar(&o.OutputPackage, "output-pkg", "", "its import `path` (default: what the nearest go.mod says)")
	set.StringVar(&o.ListersPackage, "listers-package", "", "import `path` of the listers (default: the sibling listers of the output)")
	set.BoolVar(&o.SkipListers, "skip-listers", false, "use the listers that stand at --listers-package, and write none")
	set.BoolVar(&o.SingleDirectory, "single-directory", false, "leave out the level externalversions that there is with a clientset")
	set.StringVar(&o.HeaderFile, "go-header-file", "", "`file` with the comment that begins every file; YEAR stands for the year")
	prune := set.Bool("prune", true, "remove files in the output folders that are not generated any more")
	set.StringVar(&o.VersionedClientset, "versioned-clientset-package", "", "import `path` of a clientset to list and watch with")
	set.StringVar(&o.InternalClientset, "internal-clientset-package", "", "import `path` of a clientset for internal versions")
	verify := set.Bool("verify", false, "print what differs, is missing or is stale as a diff; exit 1 if anything")
	list := set.Bool("list", false, "print what was found, and why a type was skipped")
	set.StringVarP(&f.format, "output", "o", "table", "`format` of --list: table or json")
	set.IntVarP(&f.verbosity, "v", "v", 0, "tell what is loaded and how long each step took")
	set.Lookup("v").NoOptDefVal = "1"
	set.BoolVar(&f.version, "version", false, "print the version")
	set.BoolP("help", "h", false, "print this page")
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if wanted, _ := set.GetBool("help"); wanted {
		return f, pflag.ErrHelp
	}
	o.Patterns = append(*inputs, set.Args()...)
	o.KeepStale = !*prune
	switch {
	case *verify && *list:
		return f, fmt.Errorf("--verify and --list: one at a time")
	case *verify:
		o.Mode = generators.Verify
	case *list:
		o.Mode = generators.List
	}
	if f.format != "table" && f.format != "json" {
		return f, fmt.Errorf("--output: unknown format %q; expected table or json", f.format)
	}
	if set.Changed("output") && !*list {
		return f, fmt.Errorf("--output: is the format of --list; name the output folder with --output-dir")
	}
	return f, nil
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// help is the page that --help prints.
func help(set *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString(`informer-gen writes typed informers and listers for Kubernetes API types.

Usage:
  informer-gen [flags] [patterns]

A pattern is a directory, a directory and all below it (./api/...) or an import path.

Examples:
  # a kubebuilder project: no clientset needed, output in pkg/generated
  informer-gen --input-dirs ./api/...

  # types with +genclient, through a clientset
  informer-gen --versioned-clientset-package example.com/shop/pkg/client/clientset/versioned \
    --output-dir pkg/client/informers --listers-package example.com/shop/pkg/client/listers ./pkg/apis/...
`)
	for _, group := range groups {
		fmt.Fprintf(&b, "\n%s:\n", group.title)
		part := pflag.NewFlagSet("", pflag.ContinueOnError)
		part.SortFlags = false
		for _, name := range group.names {
			part.AddFlag(set.Lookup(name))
		}
		b.WriteString(part.FlagUsages())
	}
	b.WriteString(`
Older names: --output-package (--output-pkg), --output-base (--output-dir), --verify-only (--verify).
Exit status: 0 done; 1 the input or output is wrong, or --verify found a difference; 2 the command line is wrong.
`)
	return b.String()
}
