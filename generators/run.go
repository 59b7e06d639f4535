package generators

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/header"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// ErrNothing is returned when no type was found to generate anything for.
// Its message lists the candidates, and why each was skipped; so does a
// go/scanner.ErrorList in its tree.
var ErrNothing = errors.New("nothing to generate")

// Run generates informers, listers and clients. With an error, the Result has what was
// found until then.
//
// Possible errors: what Options.Validate returns; a go/scanner.ErrorList with
// the position of each problem of the input; ErrNothing; errors of
// the file system; the cause of a cancelled context. After any error nothing has
// been written, unless the file system failed while files were being replaced.
// Cancelling does not interrupt replacing. With Options.Verify, files that differ are no error.
func Run(ctx context.Context, options Options) (Result, error) {
	if err := options.Validate(); err != nil {
		return Result{}, err
	}
	var err error
	if options.Dir, err = filepath.Abs(options.Dir); err != nil {
		return Result{}, err
	}
	users, err := readTemplates(&options)
	if err != nil {
		return Result{}, err
	}
	r := &run{ctx: ctx, options: &options, templates: users, loader: load.New(ctx, options.Dir, collect.Rules, options.Notice, options.log)}
	err = r.steps()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx) // rather than what this has led to
	}
	return r.Result, err
}

// steps takes all steps that the options ask for, up to the first one with a problem.
func (r *run) steps() error {
	var diags diag.List
	packages, err := r.load(&diags)
	if err != nil {
		return err
	}
	if err := r.collect(packages, &diags); err != nil {
		return err
	}
	switch {
	case r.options.List && len(r.Types) > 0:
		return r.list()
	case len(r.model.Groups) == 0:
		return r.nothing(packages)
	}
	r.loader.Forget()
	return r.generate()
}

// load parses the packages that the patterns and the options name.
func (r *run) load(diags *diag.List) ([]*load.Package, error) {
	patterns := make([]string, len(r.options.Patterns))
	for i, pattern := range r.options.Patterns {
		patterns[i] = strings.TrimSpace(pattern) // of a list with spaces behind its commas
	}
	chosen := collect.NewChoice(r.options.Types, r.options.Exclude)
	patterns = append(patterns, chosen.PackagesOfKinds()...)
	excluded := func(dir, path string) bool { return chosen.Excludes(r.options.Dir, dir, path) }
	loaded := r.options.begin("loading")
	packages, err := r.loader.Load(patterns, r.options.types().Clientsets(), excluded, diags)
	if err != nil {
		return nil, err
	}
	chosen.CheckPackages(diags)
	r.lookAside(diags)
	loaded(diag.Count(len(packages), "package"))
	return packages, diags.Err() // what is missing of a package would only cause more problems
}

// lookAside warns of other modules below the patterns that seem to have API types:
// the go command does not look into them either.
func (r *run) lookAside(diags *diag.List) {
	for _, dir := range r.loader.OtherModules {
		shown := paths.Relative(r.options.Dir, dir)
		if !r.loader.HasSigns(dir) {
			r.options.log("passed over %s, another module without API types", shown)
			continue
		}
		r.OtherModules++
		name := filepath.ToSlash(shown)
		if filepath.IsLocal(name) {
			name = "./" + name
		}
		diags.Warnf(diag.NoPosition, "not looked into: %s, another module, which has API types; name %s/... as well, or run in it", name, name)
	}
}

// collect finds the types of packages.
func (r *run) collect(packages []*load.Package, diags *diag.List) error {
	collected := r.options.begin("collecting")
	var err error
	r.model, err = collect.Collect(r.ctx, r.loader, packages, r.options.types(), diags)
	if r.ctx.Err() != nil {
		return r.ctx.Err() // what was not found for it is no problem
	}
	r.Types = rows(r.model, nil)
	if r.options.Strict {
		refuseSkipped(r.model, diags)
	}
	if err := errors.Join(err, r.warn(diags)); err != nil {
		return cmp.Or(diags.Err(), err) // the problems have positions
	}
	collected(summary(r.model))
	return nil
}

// warn adds the warnings to the result, and returns the problems.
func (r *run) warn(diags *diag.List) error {
	if r.options.Strict {
		diags.Strict()
	}
	r.Warnings = append(r.Warnings, diag.Sorted(diags.Warnings)...)
	return diags.Err()
}

// generate plans, renders and compares, and writes if that is the mode.
func (r *run) generate() error {
	var err error
	if r.to, err = resolveTargets(r.options, r.loader.Mods); err != nil {
		return err
	}
	r.runs = r.trees()
	own := goModOf(r.to.home, r.options.Dir)
	if err := r.examine(own); err != nil {
		return err
	}
	files, err := r.render()
	if err != nil {
		return err
	}
	var beside diag.List
	if r.checkBeside(files, &beside); beside.Err() != nil {
		return beside.Err()
	}
	if r.Changes, err = r.compare(files); err != nil || r.options.Verify {
		return err
	}
	if own != nil {
		r.Next = own.next(r.options.Dir)
	}
	written := r.options.begin("writing")
	if err := output.Apply(r.ctx, r.Changes, r.to.roots()); err != nil {
		return err
	}
	written(diag.Count(len(r.Changes), "file"))
	return nil
}

// list completes the types with what templates see of them, if it is known where output would go,
// and with the users' templates that make files for them.
func (r *run) list() (err error) {
	if r.to, err = resolveTargets(r.options, r.loader.Mods); err != nil {
		if len(r.templates) == 0 {
			return nil
		}
		return err
	}
	var files []output.File
	if r.runs = r.trees(); len(r.templates) > 0 {
		files, err = r.plan()
	}
	r.Types = rows(r.model, files)
	return err
}

// examine reports what is wrong with the output for this model, and what does not
// fit in the project.
func (r *run) examine(own *goMod) error {
	var diags diag.List
	r.checkReachable(&diags)
	r.checkHandWritten(&diags)
	if diags.Err() != nil {
		return diags.Err()
	}
	r.advise(&diags)
	if own != nil {
		own.advise(&diags)
	}
	return r.warn(&diags)
}

// render plans and renders the files.
func (r *run) render() ([]output.Rendered, error) {
	head, err := header.Read(paths.Absolute(r.options.Dir, r.options.HeaderFile))
	if err != nil {
		return nil, err
	}
	outputs, err := r.plan()
	if err != nil {
		return nil, err
	}
	rendered := r.options.begin("rendering")
	files, err := output.Render(r.ctx, outputs, head)
	if err != nil {
		return nil, err
	}
	rendered(diag.Count(len(files), "file"))
	return files, nil
}

// compare works out what must change, so that the output folders hold the files
// and no stale ones.
func (r *run) compare(files []output.Rendered) ([]output.Change, error) {
	compared := r.options.begin("comparing")
	list, err := readManifest(r.to)
	if err != nil {
		return nil, err
	}
	var diags diag.List
	sweeper := newSweeper(r, files, &diags)
	stale, err := sweeper.stale(list)
	if err := errors.Join(err, r.warn(&diags)); err != nil {
		return nil, err
	}
	var listed []string
	for _, file := range files {
		if file.Users {
			listed = append(listed, file.Path)
		}
	}
	for _, file := range list.left(sweeper.written) {
		if !slices.Contains(stale, file) {
			listed = append(listed, file)
		}
	}
	rendered, gone := list.next(listed)
	files, stale = append(files, rendered...), append(stale, gone...)
	r.Files = len(files)
	changes, err := output.Compare(r.options.Dir, files, stale, list.path)
	if err != nil {
		return nil, err
	}
	compared(diag.Count(len(changes), "file") + " to change")
	return changes, r.ctx.Err()
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
func (r *run) nothing(packages []*load.Package) error {
	var problems scanner.ErrorList
	options, skipped := r.options, r.model.Skipped
	for _, skip := range skipped {
		problems.Add(skip.Pos, fmt.Sprintf("%s: skipped: %s", skip.Name, skip.Reason))
	}
	switch patterns := strings.Join(options.Patterns, " "); {
	case len(skipped) > 0:
	case len(r.loader.Read) == 0 && len(r.loader.Looked) > 0:
		problems.Add(diag.NoPosition, fmt.Sprintf("--exclude %s leaves out every package that matches %s; exclude fewer", strings.Join(options.Exclude, ","), patterns))
	case len(packages) == 0:
		problems.Add(diag.NoPosition, fmt.Sprintf("no package that matches %s has API types", patterns))
	default:
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
