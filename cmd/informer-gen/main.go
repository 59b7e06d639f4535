// Informer-gen writes typed informers, listers and clients for Kubernetes API types.
//
//	informer-gen [flags] [patterns]
//
// A pattern is a directory (./api/v1), a directory and all below it
// (./api/...) or an import path (k8s.io/api/apps/v1, k8s.io/api/...). Patterns
// may also be given as --input-dirs, as comma lists and several times.
//
// In a kubebuilder project, whose types carry +kubebuilder:object:root=true,
//
//	informer-gen --input-dirs ./api/...
//
// reads the types below ./api and writes
//
//	pkg/generated/informers/factory.go                    the shared informer factory
//	pkg/generated/informers/generic.go                    informers by resource
//	pkg/generated/informers/internalinterfaces/…          what the packages share
//	pkg/generated/informers/<group>/interface.go          the versions of a group
//	pkg/generated/informers/<group>/<version>/            the informers: a file per kind, constructors
//	pkg/generated/listers/<group>/<version>/              the listers, one file per kind
//
// No clientset is needed: a program makes a client of its rest.Config and gives
// it to the factory.
//
//	client, err := source.NewClient(cfg)
//	factory := informers.NewSharedInformerFactory(client, 0)
//	orders := factory.Shop().V1alpha1().Orders()
//
// With --versioned-clientset-package, types are those with +genclient, and the
// informers list and watch through that clientset. The output then has the
// layout of Kubernetes' own informer-gen, with a level externalversions that
// --single-directory leaves out.
//
// # Clients
//
// A project without a clientset gets typed clients with --clients, over the connection of its
// informers, in the folder clients beside them. A client has Create, Update, UpdateStatus,
// Delete, DeleteCollection, Get, List, Watch, Patch, Apply and ApplyStatus, as far as the verbs
// of the type allow: UpdateStatus and ApplyStatus only if the type has a field Status and no
// +genclient:noStatus, and List only if its List type is declared in the package. Types that
// can only be written get a client alone. There are no methods for +genclient:method. Apply
// takes apply configurations, which controller-gen or applyconfiguration-gen writes.
//
// # Slim types
//
// A program that needs a few fields of somebody else's objects declares a struct with
// these, and names the full type, as in +informer-gen:slim=k8s.io/api/core/v1.Pod.
// docs/recipes.md has an example.
//
// Group, version, resource and scope are those of the full type, and so are the names in
// generated code, whatever the slim type is called. The fields that are not declared are
// skipped in the response of the server. Each declared one must be a field of the full
// type, of the same name and kind in JSON:
//
//   - a named type may be declared as what it is made of (PodPhase as string), and the other
//     way round; a pointer as a value, which is zero for null, and the other way round; an
//     integer or number as a larger one
//   - of structs, also those in slices and maps, some of the fields may be declared
//   - types that decode themselves, such as metav1.Time, resource.Quantity and
//     intstr.IntOrString, must be the same ones
//   - json:"-" leaves out a field of your own, which a transform may set
//
// zz_generated.slim.go beside the type has DeepCopyInto, DeepCopy and DeepCopyObject for it,
// and the first two for the structs of the package that it holds, unless they are there
// already. Every run that reads the package writes the same file, also one with --exclude,
// and removes it when no type has the marker any more. A slim type needs no List type and no
// scheme. It has no client, and takes no clientset: to write a slim object would remove the
// fields that it lacks.
//
// # Indexes
//
// The marker +informer-gen:index on a field makes an index by its values, and
// +informer-gen:index=ByTeam,func=TeamOf on a type one by a function of its package. The
// listers have methods that use it, ByWarehouse for a field Warehouse. docs/indexes.md says
// what may be marked.
//
// # Templates of your own
//
// --templates names a directory with files *.tmpl, which are rendered beside what is built
// in. docs/templates.md shows one, and the comments of the package templates say what there
// is in it.
//
// # Less code
//
// --minimal leaves out what only callers of code-generator's output need, which docs/recipes.md
// lists. A program that compiles with the minimal output compiles with all of it.
//
// # Where output goes
//
// --output-dir is relative to the working directory. Its default is
// pkg/generated/informers below the directory of the go.mod that the working
// directory belongs to, so that a go:generate line in any folder of a module
// writes to the same place. --output-pkg is worked out from the nearest go.mod;
// --listers-package is the sibling "listers" of it, and the directory of the
// listers lies to --output-dir as their import path lies to --output-pkg. The clients
// are the sibling "clients". All of them must be in the module of the informers, so that
// --output-dir can't be its root; a folder in another module is fine if the go.mod there
// says its import path. A link that leads out of the module is an error.
//
// # What is read
//
//   - Types with +genclient, and without a clientset also those with
//     +kubebuilder:object:root=true or a marker of CRDs, such as
//     +kubebuilder:resource, that embed TypeMeta and ObjectMeta and have a List
//     type. Root types must have DeepCopyObject, which controller-gen writes.
//   - The group from the schema.GroupVersion literal of the package's GroupVersion
//     or SchemeGroupVersion, from +groupName in any file of the package but not in
//     the comment of a type, from the only such literal in another variable, a
//     constant such as GroupName, or a literal in a function or with the name of a
//     kind. If a package says nothing, its CRDs decide (--crds), or else the path,
//     with a warning. A +groupName that disagrees with the literal is a warning:
//     clients go by the literal. Two markers or two literals that disagree are an
//     error, and so is a GroupVersion that can't be read, where no marker names
//     the group.
//   - The resource from +kubebuilder:resource:path, +resourceName,
//     --plural-exceptions, or the plural that client-gen makes, or controller-gen
//     if there is no clientset and a package has markers of kubebuilder.
//   - With a clientset, its Interface, for the methods that lead to the types.
//   - The scope from +genclient:nonNamespaced and +kubebuilder:resource:scope.
//   - Verbs from +genclient:noVerbs, onlyVerbs, skipVerbs, readonly and noStatus:
//     informers need list and watch, listers list and get.
//   - Types with +informer-gen:slim, and +informer-gen:index of types and fields, see above.
//   - The version from that literal, +versionName in any file but not in the comment of a type, or the path.
//   - +groupGoName, +k8s:informer-gen=false, +k8s:lister-gen=false,
//     +kubebuilder:skip, which concerns types without +genclient, and without a clientset
//     +kubebuilder:unservedversion and +kubebuilder:skipversion, whose types nobody serves.
//   - Files that the go command would build, with -tags of GOFLAGS. Types of others
//     are listed as skipped.
//
// --types takes some kinds only, with wildcards; example.com/api/v1.Order is one of a
// package, and needs no marker. --exclude leaves out kinds, and packages by
// pattern. --crds compares group, versions, plural and scope of the types with the
// CRDs in the YAML files of a directory, also behind links, and names CRDs without an
// informer: an error for groups that the input has types of, a warning for others.
// --strict makes errors of warnings, and of types that are skipped though no marker
// or flag says so.
//
// A file informer-gen.yaml in the working directory, or another one named by
// --config, has flags for projects with many, as in "output-dir: pkg/client/informers"
// and lists for those that take lists; the command line goes first. Whatever else it
// has is an error.
//
// informer-gen --list shows what was found, and why a type was skipped; with
// -o json for programs, an array of the objects that generators.Row describes.
//
// # What is written
//
// Only files that differ, each in one step; nothing at all if anything is
// wrong, or if the run is interrupted. --verify writes nothing in any case, and
// prints a unified diff of what differs, is missing or is stale. A file with another
// content in the place of a generated one is never overwritten unless it is a
// generated file.
//
// Files of an earlier run are removed if they carry exactly the line
// "// Code generated by informer-gen. DO NOT EDIT.", lie where runs with this output
// write, and their API type is gone, or is not generated any more in a package that
// this run reads; --prune=false keeps them, and so does a run that could not load a
// package that its types refer to. Clients of an earlier run with --clients go in one
// without, with a warning. Informers of types in packages that this
// run does not read are an error: one factory is written by one run over all its
// packages. Another tool, or a run with other flags, may have a factory in the output folder or in
// externalversions there. It is removed with all of its files, and a warning names the flag that
// keeps it; a file whose API type is not known makes that an error. A folder below with the factory of another run is left alone, and so are
// clients where there are two factories side by side and this run has no --clients. Temporary
// files of a run that was killed are removed by the next one that writes beside them.
//
// The word YEAR in --go-header-file stands for the year that the file on disk
// already has there, and for the current one in new files: output does not
// change when a year begins.
//
// A hand-written <kind>_expansion.go beside the listers, which declares
// <Kind>ListerExpansion and <Kind>NamespaceListerExpansion, takes the place of
// the empty interfaces of these names.
//
// # Older command lines
//
// What scripts pass to code-generator's informer-gen has the same meaning here.
// Flags of earlier generators do, too: --output-package and -p are --output-pkg, --verify-only
// is --verify, -h with a file is --go-header-file. --output-base and -o are
// --output-dir, unless go.mod says that the import path below that folder is
// meant. Flags that have no effect any more, such as --build-tag and those of
// klog but -v, are warned of.
//
// # What is printed
//
// The diff of --verify and what --list found go to standard output, all else to
// standard error: problems as file:line:col: what is wrong: what was found; what
// to do; what the go command downloads; a summary in one line, of types, files, what
// was skipped or not looked into, and the command to run next, if go.mod needs one;
// with -v what is loaded and how long each step took, with -v 2 also each file that changes.
// -o json is for programs, and -o github for GitHub's workflows: docs/editors.md describes both.
//
// # Exit status
//
// 0: done. 1: the input or the output is wrong, or --verify found a difference.
// 2: the command line is wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"github.com/informer-gen/informer-gen/generators"
)

func main() {
	tuneHeap()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// run is the command without the process around it; it returns the exit status.
// The requested output goes to stdout, messages about it to stderr.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	started := time.Now()
	f, err := parse(args)
	r := newReporter(stderr, f.format)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		return r.printed(io.WriteString(stdout, help(f.set)))
	case err != nil:
		return r.usage(err)
	case f.version:
		return r.printed(fmt.Fprintln(stdout, version()))
	}
	if err := f.options.Validate(); err != nil {
		r.warnings(f.warnings, nil)
		return r.usage(err)
	}
	if f.verbosity > 0 {
		f.options.Log = r.plain
	}
	f.options.Notice = r.info
	result, err := generators.Run(ctx, f.options)
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		err = fmt.Errorf("%w; nothing was written", err)
	}
	r.warnings(f.warnings, result.Warnings)
	if err == nil || f.options.List && result.Types != nil {
		err = errors.Join(err, printFound(stdout, f, result))
	}
	if err != nil {
		r.failed(err)
		return 1
	}
	r.done(f, result, time.Since(started))
	if f.options.Verify && len(result.Changes) > 0 {
		return 1
	}
	return 0
}
