// Informer-gen writes typed informers, listers and clients for Kubernetes API types.
//
//	informer-gen [flags] [patterns]
//
// A pattern is a directory (./api/v1), a directory and everything below it (./api/...), or an import path
// (k8s.io/api/apps/v1, k8s.io/api/...). Patterns may also be given with --input-dirs, as comma lists and
// several times.
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
// No clientset is needed. A program makes a client of its rest.Config and passes it to the factory.
//
//	client, err := source.NewClient(cfg)
//	factory := informers.NewSharedInformerFactory(client, 0)
//	orders := factory.Shop().V1alpha1().Orders()
//
// With --versioned-clientset-package, informers are generated for the types with +genclient, and list and
// watch through that clientset. The output then has the layout of Kubernetes' own informer-gen, with a
// level externalversions that --single-directory leaves out.
//
// # Clients
//
// With --clients, a project without a clientset gets typed clients, in the folder clients beside its
// informers. They use the connection of the informers. A client has Create, Update, UpdateStatus, Delete,
// DeleteCollection, Get, List, Watch, Patch, Apply and ApplyStatus, if the verbs of the type allow them.
// UpdateStatus and ApplyStatus also need a field Status and no +genclient:noStatus. List also needs a List
// type in the package.
//
// Types that can only be written get a client, but no informer. There are no methods for +genclient:method.
// Apply takes apply configurations, which controller-gen or applyconfiguration-gen writes.
//
// # Slim types
//
// A program that needs only some fields of an object declares a struct with these fields. A marker names
// the full type, as in +informer-gen:slim=k8s.io/api/core/v1.Pod. docs/recipes.md has an example.
//
// A slim type has the group, version, resource and scope of the full type. Generated code also uses the
// full type's names, whatever the slim type is called. Fields that are not declared are skipped in the
// server's response. Each declared field must be a field of the full type, with the same name and kind in
// JSON:
//
//   - a named type may be declared as its underlying type (PodPhase as string), a pointer as a value, which
//     is zero for null, and both the other way round; an integer or number may be declared as a larger one
//   - a struct, also in slices and maps, may be declared with some of its fields
//   - types that decode themselves must be the same ones, such as metav1.Time, resource.Quantity and
//     intstr.IntOrString
//   - json:"-" leaves out a field of your own, which a transform may set
//
// zz_generated.slim.go beside the type has DeepCopyInto, DeepCopy and DeepCopyObject for it, and
// DeepCopyInto and DeepCopy for the structs of the package that it contains, unless these exist already.
// Every run that reads the package writes the same file, even a run with --exclude, and removes it when no
// type has the marker any more.
//
// A slim type needs no List type and no scheme. It has no client, and takes no clientset: writing a slim
// object would remove the fields that it lacks.
//
// # Indexes
//
// The marker +informer-gen:index on a field makes an index by its values. The marker
// +informer-gen:index=ByTeam,func=TeamOf on a type makes an index by a function of its package. The listers
// have methods that use the index, such as ByWarehouse for a field Warehouse. docs/indexes.md says what may
// be marked.
//
// # Templates of your own
//
// --templates names a directory with files *.tmpl, which are rendered beside the built-in ones.
// docs/templates.md shows one. The comments of package templates describe the data.
//
// # Less code
//
// --minimal leaves out code that only callers of code-generator's output need; docs/recipes.md lists it. A
// program that compiles with the minimal output also compiles with the full one.
//
// # Where output goes
//
// --output-dir is relative to the working directory. Its default is pkg/generated/informers in the module
// of the working directory, so that a go:generate line in any folder of a module writes to the same place.
// The default of --output-pkg follows from the nearest go.mod. The default of --listers-package is its
// sibling "listers". The directory of the listers has the same position relative to --output-dir as their
// import path has relative to --output-pkg. The clients are the sibling "clients".
//
// All of these must be in the module of the informers, so --output-dir can't be its root. A folder in
// another module is fine if the go.mod there gives its import path. A link that leads out of the module is
// an error.
//
// # What is read
//
//   - Types with +genclient, and without a clientset also those with
//     +kubebuilder:object:root=true or a marker of CRDs, such as
//     +kubebuilder:resource, that embed TypeMeta and ObjectMeta and have a List
//     type. Root types must have DeepCopyObject, which controller-gen writes.
//   - The group from the schema.GroupVersion literal of the package's GroupVersion or SchemeGroupVersion.
//     Otherwise it comes from +groupName in any file of the package but not in the comment of a type, from
//     the only such literal in another variable, from a constant such as GroupName, or from a literal in a
//     function or with the name of a kind. If a package has none of these, its CRDs decide (--crds), or
//     else the path, with a warning. A +groupName that disagrees with the literal is a warning: clients use
//     the literal. Two markers or two literals that disagree are an error. So is a GroupVersion that can't
//     be read if no marker names the group.
//   - The resource from +kubebuilder:resource:path, +resourceName,
//     --plural-exceptions, or the plural that client-gen makes, or controller-gen
//     if there is no clientset and a package has markers of kubebuilder.
//   - With a clientset, its Interface, which has the methods that lead to the types.
//   - The scope from +genclient:nonNamespaced and +kubebuilder:resource:scope.
//   - Verbs from +genclient:noVerbs, onlyVerbs, skipVerbs, readonly and noStatus:
//     informers need list and watch, listers list and get.
//   - Types with +informer-gen:slim, and +informer-gen:index of types and fields; see above.
//   - The version from the schema.GroupVersion literal, from +versionName in any file but not in the
//     comment of a type, or from the path.
//   - +groupGoName, +k8s:informer-gen=false, +k8s:lister-gen=false, +kubebuilder:skip, which concerns types
//     without +genclient, and without a clientset +kubebuilder:unservedversion and
//     +kubebuilder:skipversion, whose types no server serves.
//   - Files that the go command would build, with -tags of GOFLAGS. Types in other files are listed as
//     skipped.
//
// --types selects kinds, with wildcards. example.com/api/v1.Order is a kind of one package, and needs no
// marker. --exclude leaves out kinds, and packages by pattern.
//
// --crds compares group, versions, plural and scope of the types with the CRDs in the YAML files of a
// directory, also behind links. It reports CRDs without an informer: as an error if the input has types of
// their group, and otherwise as a warning. --strict turns warnings into errors. It does the same for types
// that are skipped although no marker or flag says so.
//
// A file informer-gen.yaml in the working directory, or the file that --config names, may have flags, as in
// "output-dir: pkg/client/informers", and lists for flags that take lists. The command line takes
// precedence. Any other content of the file is an error.
//
// informer-gen --list shows what was found, and why a type was skipped. With -o json it prints an array of
// the objects that generators.Row describes, for programs.
//
// # What is written
//
// Only files that differ are written, each in one step. Nothing is written if anything is wrong, or if the
// run is interrupted. --verify never writes, and prints a unified diff of the files that differ, are
// missing or are stale. A file with other content in the place of a generated file is overwritten only if
// it is a generated file itself.
//
// A file of an earlier run is removed under three conditions. It has exactly the line "// Code generated by
// informer-gen. DO NOT EDIT." It is where runs with this output write. And its API type is gone, or is not
// generated any more in a package that this run reads. Such files stay with --prune=false, and if the run
// could not load a package that its types refer to.
//
// If an earlier run had --clients and this one has not, the clients are removed, with a warning. Informers
// of types in packages that this run does not read are an error: one factory is written by one run over all
// its packages.
//
// Another tool, or a run with other flags, may have a factory in the output folder or in externalversions
// there. That factory is removed with all of its files, and a warning names the flag that keeps it. If the
// API type of one of its files is not known, that is an error. A folder below with the factory of another
// run is left alone. So are clients beside two factories if this run has no --clients. Temporary files of a
// run that was killed are removed by the next run that writes beside them.
//
// The word YEAR in --go-header-file stands for the year that the file on disk already has, and for the
// current year in new files. So output does not change when a year begins.
//
// A hand-written <kind>_expansion.go beside the listers may declare <Kind>ListerExpansion and
// <Kind>NamespaceListerExpansion. It then replaces the empty interfaces of these names.
//
// # Older command lines
//
// The flags of code-generator's informer-gen have the same meaning here. So have flags of earlier
// generators: --output-package and -p are --output-pkg, --verify-only is --verify, and -h with a file is
// --go-header-file. --output-base and -o are --output-dir, unless go.mod says that the import path below
// that folder is meant. Flags without an effect, such as --build-tag and the flags of klog except -v, cause
// a warning.
//
// # What is printed
//
// The diff of --verify and the rows of --list go to standard output. Everything else goes to standard error:
//
//   - problems, as file:line:col: what is wrong: what was found; what to do
//   - downloads of the go command
//   - a summary in one line: types, files, what was skipped or not looked into, and the command to run next,
//     if go.mod needs one
//   - with -v what is loaded and how long each step took, and with -v 2 also each file that changes
//
// The format -o json is for programs, and -o github for GitHub's workflows: docs/editors.md describes both.
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
