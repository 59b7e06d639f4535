package generators

import (
	"fmt"
	"path/filepath"
	"strings"

	modpath "golang.org/x/mod/module"
)

// advise warns of options that are likely mistakes: those that nothing
// corresponds to.
func advise(options *Options, to targets, mods *modules, diags *diagnostics) {
	for _, path := range options.clientsets() {
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
