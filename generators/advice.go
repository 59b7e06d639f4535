package generators

import (
	"fmt"
	"path/filepath"
	"strings"

	modpath "golang.org/x/mod/module"
)

// advise warns of options that are likely mistakes: those that nothing
// corresponds to.
func advise(options *Options, model *Model, to targets, mods *modules, diags *diagnostics) {
	for _, path := range clientsets(*options) {
		if mods.lacks(path, options.Dir) {
			diags.warnf(noPosition, "clientset: %s does not exist yet; the output compiles when client-gen has written it", path)
		}
	}
	if options.SkipListers && mods.lacks(options.ListersPackage, options.Dir) && !exists(to.listers.dir) {
		diags.warnf(noPosition, "listers: %s does not exist yet; the output compiles when it has been written, which it is without --skip-listers", options.ListersPackage)
	}
	if inferred, err := mods.importPath(to.informers.dir); err == nil && inferred != to.informers.path {
		diags.warnf(noPosition, "output: %s: is %s by go.mod, not %s; the output compiles where --output-pkg says that it is",
			relative(options.Dir, to.informers.dir), inferred, to.informers.path)
	}
	adviseOnPlurals(options, model, diags)
}

// adviseOnPlurals warns of exceptions for a kind whose name is another one's with
// one letter wrong. Of others nothing is known: scripts have one list for several
// runs and tools.
func adviseOnPlurals(options *Options, model *Model, diags *diagnostics) {
	known := map[string]bool{}
	var names []string
	model.kinds(func(_ *Group, _ *Version, kind *Kind) {
		known[kind.Name] = true
		names = append(names, kind.Name)
	})
	for _, pair := range options.PluralExceptions {
		name, _, _ := strings.Cut(pair, ":")
		if known[name] || known[strings.TrimSuffix(name, "List")] {
			continue
		}
		for _, kind := range names {
			if misspells(name, kind) {
				diags.warnf(noPosition, "--plural-exceptions: no type %s; did you mean %s?", name, kind)
			}
		}
	}
}

// misspells reports whether a name is another one with one letter wrong. A plural
// is not its singular misspelt: Endpoints is in many lists.
func misspells(name, other string) bool {
	a, b := strings.ToLower(name), strings.ToLower(other)
	return a+"s" != b && a != b+"s" && distance(a, b) <= 1
}

// lacks reports whether a package would lie in the module of dir, and is not
// there.
func (m *modules) lacks(path, dir string) bool {
	mod, err := m.of(dir)
	return err == nil && strings.HasPrefix(path, mod.path+"/") && m.dir(path, dir) == "" &&
		!exists(filepath.Join(mod.dir, filepath.FromSlash(strings.TrimPrefix(path, mod.path+"/"))))
}

// importable reports output folders whose import path Go does not allow.
func importable(options *Options, to targets) error {
	for _, out := range to.imported(options) {
		if err := modpath.CheckImportPath(out.path); err != nil {
			return fmt.Errorf("output: %s: %w; choose another folder", relative(options.Dir, out.dir), err)
		}
	}
	return nil
}
