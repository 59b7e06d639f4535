package generators

import (
	"path"
	"path/filepath"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// trees returns what templates are rendered with: one factory, and another one for internal
// versions if there are any.
func (r *run) trees() []*templates.Run {
	options := r.options
	withClientset := options.VersionedClientset != "" || options.InternalClientset != ""
	external := r.tree(r.to.informers, options.VersionedClientset)
	internal := r.tree(r.to.informers, options.InternalClientset)
	if withClientset && !options.SingleDirectory {
		external.Informers = r.to.generated(r.to.informers.join("externalversions"), "informers")
		internal.Informers = r.to.generated(r.to.informers.join("internalversion"), "informers")
	}
	for _, group := range r.model.Groups {
		if group.Run = external; group.Internal {
			group.Run = internal
		}
		group.Run.Groups = append(group.Run.Groups, &group.Group)
	}
	for _, kind := range r.model.Kinds() {
		// As in upstream, a hand-written file takes the place of the empty interfaces.
		kind.HasExpansion = kind.HasLister && paths.Exists(r.expansionFile(kind))
	}
	var runs []*templates.Run
	for _, run := range []*templates.Run{external, internal} {
		if len(run.Groups) > 0 {
			runs = append(runs, run)
		}
	}
	return runs
}

// tree returns a factory without groups.
func (r *run) tree(informers folder, clientset string) *templates.Run {
	run := &templates.Run{
		Informers: r.to.generated(informers, "informers"), Listers: r.to.generated(r.to.listers, ""), Clients: r.to.generated(r.to.clients, "clients"),
		SkipListers: r.options.SkipListers, Minimal: r.options.Minimal,
	}
	if clientset != "" {
		run.Clientset = templates.Import{Path: clientset, Name: r.loader.NameOf(clientset)}
	}
	return run
}

// generated is the package of a folder, as templates see it.
func (t targets) generated(at folder, name string) templates.Import {
	imp := templates.Import{Path: at.path}
	if name != "" {
		imp.Name = collect.PackageName(path.Base(at.path), name)
	}
	if rel, err := filepath.Rel(t.base().dir, at.dir); err == nil {
		imp.Dir = filepath.ToSlash(rel)
	}
	return imp
}

// reserved are the names that the packages of versions declare, by directory.
func reserved(model *collect.Model, to targets) map[string]map[string]bool {
	names := map[string]map[string]bool{}
	reserve := func(in templates.Import, declared ...string) {
		dir := to.base().join(in.Dir).dir
		if names[dir] == nil {
			names[dir] = map[string]bool{}
		}
		for _, name := range declared {
			names[dir][name] = true
		}
	}
	for _, kind := range model.Kinds() {
		informers, listers := kind.Identifiers()
		reserve(kind.Version.Informers(), append(informers, collect.OwnIdentifiers...)...)
		reserve(kind.Version.Listers(), listers...)
		reserve(kind.Version.Clients(), append(kind.ClientIdentifiers(), collect.OwnIdentifiers...)...)
	}
	return names
}
