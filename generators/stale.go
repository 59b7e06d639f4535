package generators

import (
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// stale lists the leftovers whose API types or templates are no more. It lists none in a run that could not
// load a package.
func (s *sweeper) stale(list *manifest) ([]string, error) {
	if s.options.KeepStale {
		return nil, nil
	}
	left, err := s.leftovers(list)
	if err != nil {
		return nil, fmt.Errorf("output: %w", err)
	}
	s.warnMoved(left)
	kept := s.kept(left)
	stale := slices.DeleteFunc(left, func(file leftover) bool { return kept[file.path] })
	if len(stale) > 0 && len(s.failed) > 0 {
		s.warnUnswept(stale)
		return nil, nil
	}
	var found []string
	for _, file := range stale {
		found = append(found, file.path)
		s.warnRemoved(file)
	}
	slices.Sort(found)
	return slices.Compact(found), nil
}

// kept are the leftovers that are not stale. Their API type is in a package that this run does not read, or
// nothing tells it; what belongs to them is kept as well. They are a problem where one factory would have to
// serve two runs, and where half of another tool's files would go.
func (s *sweeper) kept(left []leftover) map[string]bool {
	kept, alive := map[string]bool{}, map[string]bool{} // alive: directories with one, and those above
	for _, file := range left {
		reason, needed := s.needed(file)
		if s.refuse(file, reason, needed) || !needed && !s.unknown(file) {
			continue
		}
		kept[file.path] = true
		for dir := filepath.Dir(file.path); dir != filepath.Dir(file.root); dir = filepath.Dir(dir) {
			alive[dir] = true
		}
		if !needed {
			s.diags.Warnf(s.at(file), "output: has this tool's first line, but no API type that it was written for; remove it if it is to go")
		}
	}
	for _, file := range left {
		if dir := filepath.Dir(file.path); file.root != "" && file.kind == "" && alive[dir] && !s.folders[dir] {
			kept[file.path] = true
		}
	}
	return kept
}

// needed reports whether the API type of a file may still have one, and why.
func (s *sweeper) needed(file leftover) (reason string, needed bool) {
	if file.kind == "" || s.loader.Looked[file.importPath] || s.loader.Mods.Gone(file.importPath, s.loader.Dir) {
		return "", false
	}
	pkg := s.loader.LoadImport(file.importPath, s.loader.Dir)
	if pkg == nil {
		return fmt.Sprintf("which can't be looked into: %v", s.loader.Failed[file.importPath]), true
	}
	return "which this run does not read", pkg.Type(file.kind) != nil
}

// derived are the files that are written for a whole version, group or factory.
var derived = map[string]bool{
	"factory.go": true, "generic.go": true, "factory_interfaces.go": true, "interface.go": true, "constructors.go": true, "expansion_generated.go": true,
	"clients.go": true,
}

// unknown reports whether nothing tells which API type a file was written for, where this run writes nothing.
func (s *sweeper) unknown(file leftover) bool {
	return file.root != "" && file.kind == "" && !derived[filepath.Base(file.path)] && !s.folders[filepath.Dir(file.path)]
}

// refuse reports a file that this run can neither keep nor remove. It belongs to a factory above, or to
// another run's factory and no known API type, or it is an informer or client of a package that this run
// does not read.
func (s *sweeper) refuse(file leftover, reason string, needed bool) bool {
	wrote, advice, above := s.otherRun(file.factory)
	shared := file.root == s.to.informers.dir || s.options.Clients && file.root == s.to.clients.dir
	switch {
	case above:
		if s.tell(file.factory) {
			s.diags.Errorf(s.at(file), "output: an earlier run %s wrote it; %s", wrote, advice)
		}
	case file.factory != "" && s.unknown(file):
		if s.tell(file.factory) {
			s.diags.Errorf(s.at(file), "output: an earlier run %s wrote it; %s, or remove %s if it is to go", wrote, advice, paths.Relative(s.loader.Dir, file.factory))
		}
	case needed && shared:
		if s.tell(file.importPath) {
			s.diags.Errorf(s.at(file), "output: an earlier run wrote it for %s in %s, %s; name the packages of all types in one run, "+
				"give each run an --output-dir of its own, or remove %s if it is to go", file.kind, file.importPath, reason, filepath.Dir(s.at(file).Filename))
		}
	default:
		return false
	}
	return true
}

// otherRun returns the flags of a run with its factory in a folder, and how to keep that factory. If above
// is set, the folder stands above the informers, or is theirs by mistake.
func (s *sweeper) otherRun(dir string) (flags, advice string, above bool) {
	level, output, root := filepath.Base(dir), dir, s.to.informers.dir
	if levels[level] != "" {
		output = filepath.Dir(dir)
	}
	folder := "with --output-dir " + paths.Relative(s.loader.Dir, output)
	switch {
	case dir == "":
		return "", "", false
	case dir == root && levels[level] != "":
		return folder, "name that folder, or add --single-directory: without it a clientset adds " + level, true
	case dir == root:
		return "without a clientset, or with --single-directory,", "leave out the clientset or add --single-directory", false
	case filepath.Dir(dir) != root:
		return folder, "name that folder, or a folder outside of it", true
	case s.options.SingleDirectory && s.options.types().HasClientset():
		return "without --single-directory", "leave out that flag", false
	}
	return "with " + levels[level], "add that flag", false
}

// warnRemoved warns that all files of a factory go because this run takes its place, and all clients because
// this run has none.
func (s *sweeper) warnRemoved(file leftover) {
	switch {
	case s.groups[file.importPath+"."+file.kind] != nil && file.factory != "" && s.tell(file.factory):
		wrote, advice, _ := s.otherRun(file.factory)
		s.diags.Warnf(s.at(file), "output: an earlier run %s wrote it, and this one takes its place, so that all files of its factory in %s are removed; %s to keep them",
			wrote, paths.Relative(s.loader.Dir, file.factory), advice)
	case file.root == s.to.clients.dir && !s.options.Clients && !s.options.types().HasClientset() && s.tell(file.root):
		s.diags.Warnf(s.at(file), "clients: an earlier run wrote %s with --clients, which this one lacks, so that they are removed; add --clients to keep them",
			paths.Relative(s.loader.Dir, file.root))
	}
}

// warnUnswept warns that leftovers stay since this run could not read every package.
func (s *sweeper) warnUnswept(files []leftover) {
	first := slices.Min(slices.Collect(maps.Keys(s.failed)))
	s.diags.Warnf(s.at(files[0]), "output: not removed (%s): the API types seem to be gone, but not all packages could be loaded: %v; fix that and run again",
		diag.Count(len(files), "file"), s.failed[first])
}

// at is the place of a file in messages.
func (s *sweeper) at(file leftover) token.Position {
	return token.Position{Filename: paths.Relative(s.loader.Dir, file.path)}
}

// tell reports whether there is no message yet of a factory or a package.
func (s *sweeper) tell(of string) (first bool) {
	first, s.told[of] = !s.told[of], true
	return first
}
