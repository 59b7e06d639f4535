package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// groups are the flags in the order of the help page.
var groups = []struct {
	title string
	names []string
}{
	{"Input", []string{"input-dirs", "types", "exclude", "plural-exceptions", "lint-rules", "crds", "strict", "config"}},
	{"Output", []string{"output-dir", "output-pkg", "listers-package", "skip-listers", "clients", "minimal", "single-directory", "templates", "go-header-file", "prune"}},
	{"Clientset", []string{"versioned-clientset-package", "internal-clientset-package"}},
	{"Instead of writing", []string{"verify", "list"}},
	{"Other", []string{"output", "v", "version", "help"}},
}

const (
	introduction = `informer-gen writes typed informers, listers and clients for Kubernetes API types.

Usage:
  informer-gen [flags] [patterns]

A pattern is a directory (./api/v1), a directory and all below it (./api/...), or an
import path. API types are those with +genclient and, without a clientset, those with
+kubebuilder:object:root=true.

Examples:
  # a kubebuilder project: no clientset needed, output in pkg/generated
  informer-gen ./api/...

  # the same for a new project: clients that write, and no code for older callers
  informer-gen --clients --minimal ./api/...

  # types with +genclient, through a clientset
  informer-gen --versioned-clientset-package example.com/shop/pkg/client/clientset/versioned \
    --output-dir pkg/client/informers ./pkg/apis/...
`
	conclusion = `
Older names: --output-package (--output-pkg), --output-base and -o (--output-dir), --verify-only
(--verify), -h FILE (--go-header-file). Flags of klog are accepted and have no effect but -v.

Exit status: 0 done; 1 the input or the output is wrong, or --verify found a difference;
2 the command line is wrong.
`
)

// help is the page that --help prints.
func help(set *pflag.FlagSet) string {
	var b strings.Builder
	b.WriteString(introduction)
	for _, group := range groups {
		fmt.Fprintf(&b, "\n%s:\n", group.title)
		for _, name := range group.names {
			writeFlag(&b, set.Lookup(name))
		}
	}
	b.WriteString(conclusion)
	return b.String()
}

// writeFlag writes a flag with its usage in the second column.
func writeFlag(b *strings.Builder, flag *pflag.Flag) {
	value, usage := pflag.UnquoteUsage(flag)
	left := "    "
	if flag.Shorthand != "" {
		left = "-" + flag.Shorthand + ", "
	}
	switch {
	case flag.Name == flag.Shorthand:
		left = "-" + flag.Shorthand
	case flag.NoOptDefVal != "" && flag.Value.Type() == "bool":
		left += "--" + flag.Name
	default:
		left += "--" + flag.Name + " " + value
	}
	for line := range strings.SplitSeq(usage, "\n") {
		fmt.Fprintf(b, "  %-41s%s\n", cmp.Or(left, " "), line)
		left = ""
	}
}
