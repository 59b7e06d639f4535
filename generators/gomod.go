package generators

import (
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
)

// ownModule is the module of this tool and of the runtime that generated code
// imports.
const ownModule = "github.com/informer-gen/informer-gen"

const clientGo = "k8s.io/client-go"

// The minor of Kubernetes' libraries that this version is for, and what goes with it.
// For an older minor, hack/libraries.sh writes them.
const (
	neededMinor   = "v0.37"
	neededRuntime = "v0.24" // of controller-runtime
	neededGo      = "1.26"
)

// oldestMinor and newestMinor are the minors of Kubernetes' libraries that have versions of
// this module.
const (
	oldestMinor = "v0.34"
	newestMinor = "v0.37"
)

// needs are the requirements of generated code on the module that it is in: of each module
// the least version.
var needs = []struct{ module, version string }{
	{"k8s.io/api", neededMinor + ".0"},
	{"k8s.io/apimachinery", neededMinor + ".0"},
	{clientGo, neededMinor + ".0"},
	{"sigs.k8s.io/controller-runtime", neededRuntime + ".0"},
}

// released are the modules that are released together with client-go, in the same minor: one that stays
// behind when client-go is raised may not compile any more.
var released = []string{
	"k8s.io/api", "k8s.io/apiextensions-apiserver", "k8s.io/apimachinery", "k8s.io/apiserver", "k8s.io/cli-runtime",
	clientGo, "k8s.io/cloud-provider", "k8s.io/cluster-bootstrap", "k8s.io/code-generator", "k8s.io/component-base",
	"k8s.io/component-helpers", "k8s.io/controller-manager", "k8s.io/cri-api", "k8s.io/cri-client",
	"k8s.io/csi-translation-lib", "k8s.io/dynamic-resource-allocation", "k8s.io/endpointslice", "k8s.io/externaljwt",
	"k8s.io/kms", "k8s.io/kube-aggregator", "k8s.io/kube-controller-manager", "k8s.io/kube-proxy",
	"k8s.io/kube-scheduler", "k8s.io/kubectl", "k8s.io/kubelet", "k8s.io/metrics", "k8s.io/mount-utils",
	"k8s.io/pod-security-admission",
}

// goMod is the go.mod of the module that output goes to.
type goMod struct {
	file *modfile.File
	name string // of go.mod, to show
}

// goModOf returns the go.mod of a module, or nil if there is none that can be read, or if it is
// this tool's own.
func goModOf(home *load.Module, dir string) *goMod {
	if home == nil || home.File == nil || home.Path == ownModule {
		return nil
	}
	return &goMod{file: home.File, name: paths.Relative(dir, filepath.Join(home.Dir, "go.mod"))}
}

// advise warns of versions that generated code does not compile with. A project whose minor of
// client-go has another version of this module should take that one.
func (p *goMod) advise(diags *diag.List) {
	if other := p.otherMinor(); other != nil {
		diags.Warnf(p.at(other.Syntax), "%s: this version of informer-gen is for %s; run go get -tool %s/cmd/informer-gen@%s",
			strings.ReplaceAll(other.Mod.String(), "@", " "), neededMinor, ownModule, semver.MajorMinor(other.Mod.Version))
		return
	}
	var old, get []string
	var first *modfile.Line
	add := func(line *modfile.Line, name, version, needed string) {
		if len(old) == 0 {
			first = line
		}
		old, get = append(old, name+" "+version), append(get, name+"@"+needed)
	}
	if v := p.file.Go; v != nil && semver.Compare("v"+v.Version, "v"+neededGo) < 0 {
		add(v.Syntax, "go", v.Version, neededGo+".0")
	}
	isOlder := func(require *modfile.Require, version string) bool {
		return semver.Compare(require.Mod.Version, version) < 0 && !p.replaced(require.Mod.Path)
	}
	for _, require := range p.file.Require {
		for _, need := range needs {
			if require.Mod.Path == need.module && isOlder(require, need.version) {
				add(require.Syntax, need.module, require.Mod.Version, need.version)
			}
		}
	}
	if len(old) > 0 {
		for _, require := range p.file.Require {
			path, version := require.Mod.Path, neededMinor+".0"
			if slices.Contains(released, path) && isOlder(require, version) && !slices.Contains(get, path+"@"+version) {
				get = append(get, path+"@"+version)
			}
		}
		diags.Warnf(p.at(first), "%s: the generated code needs Go %s and the modules of Kubernetes v1.%s; run go get %s",
			strings.Join(old, ", "), neededGo, strings.TrimPrefix(neededMinor, "v0."), strings.Join(get, " "))
	}
}

// otherMinor returns the project's requirement of client-go, or else of apimachinery, if there is another
// version of this module for its minor.
func (p *goMod) otherMinor() *modfile.Require {
	for _, module := range []string{clientGo, "k8s.io/apimachinery"} {
		i := slices.IndexFunc(p.file.Require, func(require *modfile.Require) bool { return require.Mod.Path == module })
		if i < 0 {
			continue
		}
		require := p.file.Require[i]
		minor := semver.MajorMinor(require.Mod.Version)
		if minor != neededMinor && !p.replaced(module) && semver.Compare(minor, oldestMinor) >= 0 && semver.Compare(minor, newestMinor) <= 0 {
			return require
		}
		return nil
	}
	return nil
}

func (p *goMod) replaced(module string) bool {
	return slices.ContainsFunc(p.file.Replace, func(replace *modfile.Replace) bool { return replace.Old.Path == module })
}

func (p *goMod) at(line *modfile.Line) token.Position {
	return token.Position{Filename: p.name, Line: line.Start.Line, Column: line.Start.LineRune}
}

// next returns the command that completes go.mod for the generated code, or "" if
// it says already that the code of the module imports what generated code does.
func (p *goMod) next(dir string) string {
	direct := map[string]bool{}
	for _, require := range p.file.Require {
		direct[require.Mod.Path] = !require.Indirect
	}
	if direct[ownModule] && direct[clientGo] && direct["k8s.io/apimachinery"] {
		return ""
	}
	command := "go mod tidy"
	if root := filepath.Dir(paths.Absolute(dir, p.name)); paths.Exists(filepath.Join(root, "vendor", "modules.txt")) {
		command += " && go mod vendor"
	}
	if at := filepath.Dir(p.name); at != "." && at != "" && !strings.HasPrefix(at, "..") {
		command = "(cd " + filepath.ToSlash(at) + " && " + command + ")"
	}
	return command
}
