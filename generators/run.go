package generators

import (
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

var (
	// ErrNothing is returned when no type was found to generate anything for.
	// Its message lists the candidates, and why each was skipped; so does a
	// go/scanner.ErrorList in its tree.
	ErrNothing = errors.New("nothing to generate")

	// ErrDiffers is returned with Options.Verify when the output folders do not
	// hold what would be generated. The Result has the changes.
	ErrDiffers = errors.New("generated files are not up to date")
)

// Result says what a run found and did, or with Options.Verify would do.
type Result struct {
	// Types are those that were found in the API packages, the skipped ones last. It is nil
	// if the packages could not be read.
	Types []Row
	// Warnings are problems that did not stop the run.
	Warnings scanner.ErrorList
	// OtherModules is the number of other modules below the patterns that have API types.
	// Like the go command, the generator does not read them.
	OtherModules int
	// Next is the command that completes go.mod for the generated code, or empty.
	Next string
	// Files is the number of files that were generated.
	Files int
	// Changes are sorted by path.
	Changes []Change

	model *collect.Model
}

// Run generates informers, listers and clients. With an error, the Result has what was
// found until then.
//
// Possible errors: *UsageError for wrong options; a go/scanner.ErrorList with
// the position of each problem of the input; ErrNothing; ErrDiffers; errors of
// the file system; the cause of a cancelled context. After any error nothing has
// been written, unless the file system failed while files were being replaced.
// Cancelling does not interrupt replacing.
func Run(ctx context.Context, options Options) (Result, error) {
	var result Result
	if err := options.Validate(); err != nil {
		return result, err
	}
	if options.Dir == "" {
		dir, err := os.Getwd()
		if err != nil {
			return result, err
		}
		options.Dir = dir
	}

	patterns := make([]string, len(options.Patterns))
	for i, pattern := range options.Patterns {
		patterns[i] = strings.TrimSpace(pattern) // of a list with spaces behind its commas
	}
	chosen := collect.NewChoice(options.Types, options.Exclude)
	patterns = append(patterns, chosen.PackagesOfKinds()...)
	var diags diag.List
	loader := load.New(ctx, options.Dir, collect.Rules, load.Reporting{Notice: options.Notice, Log: options.log, Counter: options.counter})
	loading := options.begin("loading")
	options.progress("finding packages", 0, 0, "")
	packages, err := loader.Load(patterns, options.types().Clientsets(), func(dir, path string) bool { return chosen.Excludes(options.Dir, dir, path) }, &diags)
	if err != nil {
		return result, orCancelled(ctx, err)
	}
	chosen.CheckPackages(&diags)
	result.OtherModules = lookAside(loader, &diags)
	loading.end("%s", diag.Count(len(packages), "package"))
	if err := diags.Err(); err != nil {
		return result, err // what is missing of a package would only cause more problems
	}
	collecting := options.begin("collecting")
	result.model, err = collect.Collect(ctx, loader, packages, options.types(), &diags)
	if options.CRDs != "" && err == nil {
		err = collect.CheckCRDs(ctx, options.types(), result.model, &diags)
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx) // what was not found for it is no problem
	}
	result.Types = rows(result.model)
	if options.Strict {
		refuseSkipped(result.model, &diags)
	}
	if err := errors.Join(err, result.warn(&options, &diags)); err != nil {
		return result, diags.OrElse(err)
	}
	collecting.end("%s", summary(result.model))
	if options.List && len(result.model.Groups)+len(result.model.Skipped) > 0 {
		return result, nil
	}
	if len(result.model.Groups) == 0 {
		return result, nothing(options, packages, result.model.Skipped)
	}
	loader.Forget()
	if err := generate(ctx, &options, loader, &result); err != nil {
		return result, orCancelled(ctx, err)
	}
	return result, nil
}

// lookAside warns of other modules below the patterns that seem to have API types:
// the go command does not look into them either.
func lookAside(l *load.Loader, diags *diag.List) (withTypes int) {
	for _, dir := range l.OtherModules {
		if !l.HasSigns(dir) {
			l.Log("passed over %s, another module without API types", paths.Relative(l.Dir, dir))
			continue
		}
		withTypes++
		name := filepath.ToSlash(paths.Relative(l.Dir, dir))
		if filepath.IsLocal(name) {
			name = "./" + name
		}
		diags.Warnf(diag.NoPosition, "not looked into: %s, another module, which has API types; name %s/... as well, or run in it", name, name)
	}
	return withTypes
}

// orCancelled returns why a context was cancelled, rather than the error that
// this has led to.
func orCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// generate plans, renders and compares, and writes if that is the mode.
func generate(ctx context.Context, options *Options, loader *load.Loader, result *Result) error {
	to, err := resolveTargets(options, loader.Mods)
	if err != nil {
		return err
	}
	if err := importable(options, to); err != nil {
		return err
	}
	own := goModOf(to.home, options.Dir)
	if err := examine(options, loader, result, to, own); err != nil {
		return err
	}
	files, err := renderAll(ctx, options, loader, result, to)
	if err != nil {
		return err
	}
	var beside diag.List
	if err := errors.Join(checkBeside(loader, files, &beside), beside.Err()); err != nil {
		return beside.OrElse(err)
	}
	changes, err := compareAll(options, loader, result, to, files)
	for _, change := range changes {
		result.Changes = append(result.Changes, public(change, options.Verify))
	}
	switch {
	case err != nil:
		return err
	case options.Verify && len(changes) > 0:
		return ErrDiffers
	case options.Verify:
		return nil
	}
	if own != nil {
		result.Next = own.next(options.Dir)
	}
	writing := options.begin("writing")
	if err := output.Apply(ctx, changes, to.roots()); err != nil {
		return err
	}
	writing.end("%s", diag.Count(len(changes), "file"))
	return nil
}

// examine reports what is wrong with the output for this model, and what does not
// fit in the project.
func examine(options *Options, loader *load.Loader, result *Result, to targets, own *goMod) error {
	var diags diag.List
	reachable(result.model, to, &diags)
	checkHandWritten(options, loader, result.model, to, &diags)
	if diags.Err() != nil {
		return diags.Err()
	}
	advise(options, to, loader.Mods, &diags)
	if own != nil {
		own.advise(&diags)
	}
	return result.warn(options, &diags)
}

// warn adds the warnings to the result, and returns the problems.
func (r *Result) warn(options *Options, diags *diag.List) error {
	if options.Strict {
		diags.Strict()
	}
	r.Warnings = append(r.Warnings, diag.Sorted(diags.Warnings)...)
	return diags.Err()
}

// renderAll plans and renders the files.
func renderAll(ctx context.Context, options *Options, loader *load.Loader, result *Result, to targets) ([]output.Rendered, error) {
	head, err := header.Read(paths.Absolute(options.Dir, options.HeaderFile))
	if err != nil {
		return nil, err
	}
	outputs := plan(result.model, options, to, func(importPath string) templates.Import {
		if importPath == "" {
			return templates.Import{}
		}
		return templates.Import{Path: importPath, Name: loader.NameOf(importPath)}
	})
	if err := placeable(loader, options.Dir, outputs, result.model, to); err != nil {
		return nil, err
	}
	rendering := options.begin("rendering")
	files, err := output.Render(ctx, outputs, head, options.counter("rendering", len(outputs), "files"))
	if err != nil {
		return nil, err
	}
	result.Files = len(files)
	rendering.end("%s", diag.Count(len(files), "file"))
	return files, nil
}

// compareAll works out what must change, so that the output folders hold the files
// and no stale ones.
func compareAll(options *Options, loader *load.Loader, result *Result, to targets, files []output.Rendered) ([]output.Change, error) {
	comparing := options.begin("comparing")
	var stale []string
	if !options.KeepStale {
		var diags diag.List
		var err error
		if stale, err = newSweeper(loader, to, result.model, files).stale(options, &diags); err != nil {
			return nil, err
		}
		if err := result.warn(options, &diags); err != nil {
			return nil, err
		}
	}
	changes, err := output.Compare(options.Dir, files, stale)
	if err != nil {
		return nil, err
	}
	comparing.end("%s to change", diag.Count(len(changes), "file"))
	return changes, loader.Ctx.Err()
}

// nothingError is ErrNothing, with a problem for each candidate.
type nothingError struct{ problems scanner.ErrorList }

func (e *nothingError) Unwrap() []error { return []error{ErrNothing, e.problems} }

func (e *nothingError) Error() string {
	var b strings.Builder
	b.WriteString(ErrNothing.Error() + ":")
	for _, problem := range e.problems {
		b.WriteString("\n" + problem.Error())
	}
	return b.String()
}

// nothing says why there is nothing to generate.
func nothing(options Options, packages []*load.Package, skipped []collect.Skip) error {
	var problems scanner.ErrorList
	for _, skip := range skipped {
		problems.Add(skip.Pos, fmt.Sprintf("%s: skipped: %s", skip.Name, skip.Reason))
	}
	if len(skipped) == 0 && len(packages) == 0 {
		problems.Add(diag.NoPosition, fmt.Sprintf("no package that matches %s has API types", strings.Join(options.Patterns, " ")))
	}
	if len(skipped) == 0 {
		for _, pkg := range packages {
			problems.Add(token.Position{Filename: paths.Relative(options.Dir, pkg.Dir)},
				fmt.Sprintf("package %s: no type with +genclient or +kubebuilder:object:root=true", path.Base(pkg.Path)))
		}
	}
	return &nothingError{problems}
}

// refuseSkipped adds a problem for each type that is skipped although no marker and no
// option says so.
func refuseSkipped(model *collect.Model, diags *diag.List) {
	for _, skip := range model.Skipped {
		if !skip.Explicit {
			diags.Errorf(skip.Pos, "kind: %s is skipped: %s; leave it out with --exclude if that is meant", skip.Name, skip.Reason)
		}
	}
}
