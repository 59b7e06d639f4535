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

	model *Model
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
	patterns = append(patterns, options.typePackages()...)
	var diags diagnostics
	loader := newLoader(ctx, &options)
	loading := options.begin("loading")
	options.progress("finding packages", 0, 0, "")
	chosen := newChoice(&options)
	packages, err := loader.load(patterns, options.clientsets(), func(dir, path string) bool { return chosen.excludes(options.Dir, dir, path) }, &diags)
	if err != nil {
		return result, orCancelled(ctx, err)
	}
	chosen.checkPackages(&diags)
	result.OtherModules = lookAside(loader, &diags)
	loading.end("%s", count(len(packages), "package"))
	if err := diags.err(); err != nil {
		return result, err // what is missing of a package would only cause more problems
	}
	collecting := options.begin("collecting")
	result.model, err = collect(ctx, loader, packages, &options, &diags)
	if options.CRDs != "" && err == nil {
		err = checkCRDs(ctx, &options, result.model, &diags)
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx) // what was not found for it is no problem
	}
	result.Types = result.model.rows()
	if options.Strict {
		diags.refuseSkipped(result.model)
	}
	if err := errors.Join(err, result.warn(&options, &diags)); err != nil {
		return result, diags.orElse(err)
	}
	collecting.end("%s", result.model.summary())
	if options.List && len(result.model.Groups)+len(result.model.Skipped) > 0 {
		return result, nil
	}
	if len(result.model.Groups) == 0 {
		return result, nothing(options, packages, result.model.Skipped)
	}
	// Lets go of the syntax trees, most of the memory.
	loader.packages = map[string]*Package{}
	err = generate(ctx, &options, loader, &result)
	return result, err
}

// lookAside warns of other modules below the patterns that seem to have API types:
// the go command does not look into them either.
func lookAside(l *loader, diags *diagnostics) (withTypes int) {
	for _, dir := range l.otherModules {
		if !l.hasSigns(dir) {
			l.log("passed over %s, another module without API types", relative(l.dir, dir))
			continue
		}
		withTypes++
		name := filepath.ToSlash(relative(l.dir, dir))
		if filepath.IsLocal(name) {
			name = "./" + name
		}
		diags.warnf(noPosition, "not looked into: %s, another module, which has API types; name %s/... as well, or run in it", name, name)
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

// orElse returns the problems with positions, or the other error without any.
func (d *diagnostics) orElse(err error) error {
	if list := d.err(); list != nil {
		return list
	}
	return err
}

// generate plans, renders and compares, and writes if that is the mode.
func generate(ctx context.Context, options *Options, loader *loader, result *Result) error {
	to, err := resolveTargets(options, loader.mods)
	if err != nil {
		return err
	}
	if err := importable(options, to); err != nil {
		return err
	}
	own := readGoMod(options.Dir, to.informers)
	if err := examine(options, loader, result, to, own); err != nil {
		return orCancelled(ctx, err)
	}
	files, err := renderAll(ctx, options, loader, result, to)
	if err != nil {
		return err
	}
	var beside diagnostics
	if err := errors.Join(loader.checkBeside(files, &beside), beside.err()); err != nil {
		return beside.orElse(err)
	}
	changes, err := compareAll(options, loader, result, to, files)
	for _, change := range changes {
		result.Changes = append(result.Changes, change.public(options.Verify))
	}
	if err != nil {
		return orCancelled(ctx, err)
	}
	if options.Verify {
		if len(changes) > 0 {
			return ErrDiffers
		}
		return nil
	}
	if own != nil {
		result.Next = own.next(options.Dir)
	}
	writing := options.begin("writing")
	if err := apply(ctx, changes, to.roots(options)); err != nil {
		return orCancelled(ctx, err)
	}
	writing.end("%s", count(len(changes), "file"))
	return nil
}

// examine reports what is wrong with the output for this model, and what does not
// fit in the project.
func examine(options *Options, loader *loader, result *Result, to targets, own *goMod) error {
	var diags diagnostics
	reachable(options, result.model, to, &diags)
	checkHandWritten(options, loader, result.model, to, &diags)
	if diags.err() != nil {
		return diags.err()
	}
	advise(options, to, loader.mods, &diags)
	if own != nil {
		own.advise(&diags)
	}
	return result.warn(options, &diags)
}

// warn adds the warnings to the result, and returns the problems.
func (r *Result) warn(options *Options, diags *diagnostics) error {
	if options.Strict {
		diags.strict()
	}
	r.Warnings = append(r.Warnings, sorted(diags.warnings)...)
	return diags.err()
}

// renderAll plans and renders the files.
func renderAll(ctx context.Context, options *Options, loader *loader, result *Result, to targets) ([]rendered, error) {
	head, err := readHeader(absolute(options.Dir, options.HeaderFile))
	if err != nil {
		return nil, err
	}
	outputs := plan(result.model, options, to, func(importPath string) templates.Import {
		if importPath == "" {
			return templates.Import{}
		}
		return templates.Import{Path: importPath, Name: loader.nameOf(importPath)}
	})
	if err := loader.placeable(options.Dir, outputs, result.model, to); err != nil {
		return nil, err
	}
	rendering := options.begin("rendering")
	files, err := render(ctx, outputs, head, options.counter("rendering", len(outputs), "files"))
	if err != nil {
		return nil, orCancelled(ctx, err)
	}
	result.Files = len(files)
	rendering.end("%s", count(len(files), "file"))
	return files, nil
}

// compareAll works out what must change, so that the output folders hold the files
// and no stale ones.
func compareAll(options *Options, loader *loader, result *Result, to targets, files []rendered) ([]change, error) {
	comparing := options.begin("comparing")
	var stale []string
	if !options.KeepStale {
		var diags diagnostics
		var err error
		if stale, err = newSweeper(loader, to, result.model, files).stale(options, &diags); err != nil {
			return nil, err
		}
		if err := result.warn(options, &diags); err != nil {
			return nil, err
		}
	}
	changes, err := compare(options.Dir, files, stale)
	if err != nil {
		return nil, err
	}
	comparing.end("%s to change", count(len(changes), "file"))
	return changes, loader.ctx.Err()
}

func absolute(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
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
func nothing(options Options, packages []*Package, skipped []Skip) error {
	var problems scanner.ErrorList
	for _, skip := range skipped {
		problems.Add(skip.Pos, fmt.Sprintf("%s: skipped: %s", skip.Name, skip.Reason))
	}
	if len(skipped) == 0 && len(packages) == 0 {
		problems.Add(noPosition, fmt.Sprintf("no package that matches %s has API types", strings.Join(options.Patterns, " ")))
	}
	if len(skipped) == 0 {
		for _, pkg := range packages {
			problems.Add(token.Position{Filename: relative(options.Dir, pkg.Dir)},
				fmt.Sprintf("package %s: no type with +genclient or +kubebuilder:object:root=true", path.Base(pkg.Path)))
		}
	}
	return &nothingError{problems}
}
