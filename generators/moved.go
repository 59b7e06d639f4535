package generators

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"

	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// warnMoved warns of groups that move to another directory, or that the factory calls otherwise from now
// on, because another group has their name: the code that uses them must follow.
func (s *sweeper) warnMoved(left []leftover) {
	for _, file := range left {
		group := s.groups[file.importPath+"."+file.kind]
		if group == nil || group.Shared == "" || file.root != s.to.informers.dir {
			continue
		}
		if before := filepath.Dir(filepath.Dir(file.path)); filepath.Base(before) != group.Dir {
			s.diags.Warnf(group.Pos, "group: %q moves from %s to %s, and is called %s in Go, because %q has the name too; keep one with +groupGoName",
				group.Name, paths.Relative(s.loader.Dir, before), paths.Relative(s.loader.Dir, filepath.Join(filepath.Dir(before), group.Dir)), group.GoName, group.Shared)
		}
	}
	for file := range s.written {
		if filepath.Base(file) == "factory.go" {
			s.warnRenamed(methodsByPackage(file))
		}
	}
}

// warnRenamed warns of groups that the factory of the run before had a method of another name for.
func (s *sweeper) warnRenamed(before map[string]string) {
	for _, group := range s.groups {
		method := before[group.Dir]
		if group.Shared == "" || method == "" || method == group.GoName {
			continue
		}
		s.diags.Warnf(group.Pos, "group: %q was %s in Go, and is %s from now on, because %q has the name too; keep it with +groupGoName=%s, and give the other one another",
			group.Name, method, group.GoName, group.Shared, method)
	}
}

// groupMethod matches the method of a factory that gives the informers of a group.
var groupMethod = regexp.MustCompile(`(?m)^\t(\w+)\(\) (\w+)\.Interface$`)

// methodsByPackage reads the methods of a factory by the last element of the package whose Interface they
// return. A file that is not there has none.
func methodsByPackage(file string) map[string]string {
	content, err := os.ReadFile(file)
	syntax, parseErr := parser.ParseFile(token.NewFileSet(), file, content, parser.ImportsOnly)
	if err != nil || parseErr != nil {
		return nil
	}
	imports, found := load.ImportsOf(syntax), map[string]string{}
	for _, method := range groupMethod.FindAllSubmatch(content, -1) {
		found[load.LastElement(imports[string(method[2])])] = string(method[1])
	}
	return found
}
