package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// renamed maps flags of earlier generators to their present names.
var renamed = map[string]string{"output-package": "output-pkg", "verify-only": "verify"}

// elsewhere maps names of flags in other generators to this one's.
var elsewhere = map[string]string{
	"boilerplate": "go-header-file", "header-file": "go-header-file", "paths": "input-dirs", "input": "input-dirs",
	"clientset": "versioned-clientset-package", "clientset-package": "versioned-clientset-package",
	"check": "verify", "diff": "verify", "dry-run": "verify", "clean": "prune", "verbose": "v",
}

// noEffect holds flags of earlier generators, and of klog, that scripts pass and that have no effect here.
// Each has the value that it has when none is given, if it needs none, and the reason.
var noEffect = []struct{ name, bare, reason string }{
	{"build-tag", "", "files are read as the go command builds them without tags"},
	{"output-file-base", "", "each type has a file of its own"},
	{"logtostderr", "true", messages},
	{"alsologtostderr", "true", messages},
	{"alsologtostderrthreshold", "", messages},
	{"stderrthreshold", "", messages},
	{"legacy-stderr-threshold-behavior", "true", messages},
	{"log-dir", "", messages},
	{"log-file", "", messages},
	{"log-file-max-size", "", messages},
	{"log-backtrace-at", "", messages},
	{"vmodule", "", messages},
	{"add-dir-header", "true", messages},
	{"skip-headers", "true", messages},
	{"skip-log-headers", "true", messages},
	{"one-output", "true", messages},
}

const messages = "messages go to standard error; -v says more"

// declareOlder adds the flags of earlier generators. The help page leaves them out.
func (f *flags) declareOlder() {
	f.set.StringVar(&f.base, "output-base", "", "")
	f.set.StringVar(&f.trim, "trim-path-prefix", "", "")
	for _, flag := range noEffect {
		f.set.String(flag.name, "", "")
		f.set.Lookup(flag.name).NoOptDefVal = flag.bare
		f.set.Lookup(flag.name).Hidden = true
	}
	f.set.Lookup("output-base").Hidden = true
	f.set.Lookup("trim-path-prefix").Hidden = true
}

// current returns the present name of a flag.
func current(name string) string {
	name = strings.ReplaceAll(name, "_", "-")
	if now, ok := renamed[name]; ok {
		return now
	}
	return name
}

// spell rewrites arguments that pflag would misread: "-v 2", whose number would be a pattern, and "-h
// file", which was the header. It refuses "-list", which would be a flag -l.
func spell(set *pflag.FlagSet, args []string) ([]string, error) {
	var spelt []string
	for i := 0; i < len(args); i++ {
		arg, next := args[i], ""
		if i+1 < len(args) {
			next = args[i+1]
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(arg, "-"), "=")
		switch {
		case arg == "--":
			return append(spelt, args[i:]...), nil
		case (arg == "-v" || arg == "--v") && isNumber(next):
			spelt = append(spelt, "--v="+next)
			i++
		case arg == "-h" && isFile(next):
			spelt = append(spelt, "--go-header-file="+next)
			i++
		case strings.HasPrefix(arg, "-") && len(name) > 1 && set.Lookup(name) != nil:
			return nil, fmt.Errorf("-%s: a flag of one letter only; write --%s", name, current(name))
		default:
			spelt = append(spelt, arg)
		}
	}
	return spelt, nil
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 8)
	return err == nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// resolveOlder applies the flags of earlier generators, or warns that they have no effect.
func (f *flags) resolveOlder() error {
	for _, flag := range noEffect {
		if f.set.Changed(flag.name) {
			f.warnings = append(f.warnings, fmt.Sprintf("--%s: has no effect: %s; leave it out", flag.name, flag.reason))
		}
	}
	o := &f.options
	switch {
	case f.trim != "":
		return errors.New("--trim-path-prefix: is no more; name the folder itself with --output-dir")
	case f.base != "" && o.OutputDir != "":
		return fmt.Errorf("--output-dir and --output-base: two output folders, %s and %s; name one", o.OutputDir, f.base)
	case f.base == "":
		return nil
	}
	o.OutputDir = f.base
	if o.OutputPackage == "" || f.isOutput(f.base) {
		return nil
	}
	// Earlier generators wrote to the import path below the base: a GOPATH, or
	// what lies above the module.
	below := filepath.Join(f.base, filepath.FromSlash(o.OutputPackage))
	if f.isOutput(below) {
		o.OutputDir = below
		return nil
	}
	if holds(f.base, ".") {
		return fmt.Errorf("--output-base: %s holds the working directory, and go.mod says nothing of %s below it; name the folder of the informers with --output-dir", f.base, o.OutputPackage)
	}
	f.warnings = append(f.warnings, fmt.Sprintf("--output-base: informers go to %s itself, and not to a folder %s below it; name the folder with --output-dir", f.base, o.OutputPackage))
	return nil
}

// holds reports whether a directory is the other one, or above it.
func holds(dir, other string) bool {
	from, err1 := filepath.Abs(dir)
	to, err2 := filepath.Abs(other)
	rel, err3 := filepath.Rel(from, to)
	return errors.Join(err1, err2, err3) == nil && filepath.IsLocal(rel)
}

// isOutput reports whether a directory has the import path of --output-pkg by its go.mod.
func (f *flags) isOutput(dir string) bool {
	path, err := f.options.ImportPath(dir)
	return err == nil && path == f.options.OutputPackage
}
