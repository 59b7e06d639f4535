package generators

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/collect"
	"github.com/informer-gen/informer-gen/generators/internal/output"
	"github.com/informer-gen/informer-gen/generators/internal/paths"
	"github.com/informer-gen/informer-gen/templates"
)

// tree is one informer factory with all that belongs to it.
type tree struct {
	root    folder
	listers folder
	clients folder
	client  templates.Client
	groups  []*collect.Group
}

// plan lists the files that a model gives: one factory, and another one for
// internal versions if there are any.
func plan(model *collect.Model, options *Options, to targets, clientset func(path string) templates.Import) []output.File {
	var external, internal []*collect.Group
	for _, group := range model.Groups {
		if group.Internal {
			internal = append(internal, group)
		} else {
			external = append(external, group)
		}
	}
	level := func(name string) folder {
		if options.SingleDirectory || options.VersionedClientset == "" && options.InternalClientset == "" {
			return to.informers
		}
		return to.informers.join(name)
	}
	var outputs []output.File
	outputs = append(outputs, tree{level("externalversions"), to.listers, to.clients, templates.Client{Clientset: clientset(options.VersionedClientset)}, external}.plan(options)...)
	outputs = append(outputs, tree{level("internalversion"), to.listers, to.clients, templates.Client{Clientset: clientset(options.InternalClientset)}, internal}.plan(options)...)
	outputs = append(outputs, planCopies(model)...)
	slices.SortFunc(outputs, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	return outputs
}

// planCopies lists the files beside slim types, which are the same whatever the options are.
func planCopies(model *collect.Model) []output.File {
	var outputs []output.File
	for _, of := range model.Copies {
		if len(of.Types) > 0 {
			file := templates.File{Package: of.PackageName, Reserved: of.Reserved}
			outputs = append(outputs, output.File{Path: filepath.Join(of.Dir, collect.CopiesFile), Data: &templates.DeepCopies{File: file, Types: of.Types}})
		}
	}
	return outputs
}

func (t tree) plan(options *Options) []output.File {
	var outputs []output.File
	add := func(dir folder, name string, data templates.Data) {
		outputs = append(outputs, output.File{Path: filepath.Join(dir.dir, name), Data: data})
	}
	internal := t.root.join("internalinterfaces").as("internalinterfaces")
	factory := &templates.Factory{File: templates.File{Package: collect.PackageName(path.Base(t.root.path), "informers")}, Client: t.client, Internal: internal, Minimal: options.Minimal}
	generic := &templates.Generic{File: factory.File}
	for _, group := range t.groups {
		groupFolder := t.root.join(group.Dir)
		data := &templates.Group{File: templates.File{Package: group.PackageName}, Group: group.Name, Client: t.client, Internal: internal, Minimal: options.Minimal}
		for _, version := range group.Versions {
			informers := t.planInformers(version, group, internal, options, add)
			if !options.SkipListers {
				t.planListers(version, group, options.Minimal, add)
			}
			if len(informers) == 0 {
				continue
			}
			data.Versions = append(data.Versions, templates.VersionAccessor{Name: version.GoName, Package: groupFolder.join(version.Dir).as(version.Dir)})
			byResource := templates.GenericVersion{Group: group.Name, Version: version.Name, Accessor: group.GoName + "()." + version.GoName + "()"}
			for _, kind := range informers {
				byResource.Resources = append(byResource.Resources, templates.GenericResource{Name: kind.Resource, Accessor: kind.Plural})
			}
			generic.Versions = append(generic.Versions, byResource)
		}
		if len(data.Versions) > 0 {
			add(groupFolder, "interface.go", data)
			factory.Groups = append(factory.Groups, templates.GroupAccessor{Name: group.GoName, Group: group.Name, Package: groupFolder.as(group.PackageName)})
		}
	}
	if len(factory.Groups) > 0 {
		add(t.root, "factory.go", factory)
	}
	if len(factory.Groups) > 0 && !options.Minimal {
		add(t.root, "generic.go", generic)
		add(t.root.join("internalinterfaces"), "factory_interfaces.go", &templates.InternalInterfaces{File: templates.File{Package: "internalinterfaces"}, Client: t.client})
	}
	t.planClients(add)
	return outputs
}

// planInformers adds the files of a version's informers, and returns its kinds
// that have one.
func (t tree) planInformers(version *collect.Version, group *collect.Group, internal templates.Import, options *Options, add func(folder, string, templates.Data)) []templates.Kind {
	to := t.root.join(group.Dir, version.Dir)
	file := templates.File{Package: version.Dir, Reserved: map[string]bool{}}
	reserve(file, collect.OwnIdentifiers)
	listers := t.listers.join(strings.ToLower(group.Dir), version.Dir).as(version.Dir)
	var kinds []templates.Kind
	for _, kind := range version.Kinds {
		if kind.Informer {
			names, _ := kind.Identifiers()
			reserve(file, names)
			data := templateKind(kind)
			data.OwnIndexes = len(data.Indexes) > 0 && (options.SkipListers || !kind.HasLister)
			kinds = append(kinds, data)
		}
	}
	if len(kinds) == 0 {
		return nil
	}
	for _, kind := range kinds {
		add(to, collect.FileName(kind.Ident), &templates.Informer{File: file, Kind: kind, Listers: listers, Minimal: options.Minimal})
	}
	data := templates.Version{
		File: file, Group: group.Name, Version: version.Name, Client: t.client, Internal: internal, Listers: listers,
		Kinds: kinds, Minimal: options.Minimal,
	}
	constructors := templates.Constructors(data)
	add(to, "interface.go", &data)
	if !options.Minimal {
		add(to, "constructors.go", &constructors)
	}
	return kinds
}

// planListers adds the files of a version's listers.
func (t tree) planListers(version *collect.Version, group *collect.Group, minimal bool, add func(folder, string, templates.Data)) {
	to := t.listers.join(strings.ToLower(group.Dir), version.Dir)
	file := templates.File{Package: version.Dir, Reserved: map[string]bool{}}
	var kinds, empty []templates.Kind
	expanded := map[string]bool{}
	for _, kind := range version.Kinds {
		if !kind.HasLister {
			continue
		}
		_, names := kind.Identifiers()
		reserve(file, names)
		kinds = append(kinds, templateKind(kind))
		// As in upstream, a hand-written file takes the place of the empty interfaces.
		handWritten := paths.Exists(filepath.Join(to.dir, expansionFile(kind)))
		expanded[kind.Ident] = handWritten || !minimal
		if !handWritten && !minimal {
			empty = append(empty, templateKind(kind))
		}
	}
	for _, kind := range kinds {
		add(to, collect.FileName(kind.Ident), &templates.Lister{File: file, Kind: kind, Group: group.Name, Expanded: expanded[kind.Ident]})
	}
	if len(empty) > 0 {
		add(to, "expansion_generated.go", &templates.Expansions{File: file, Kinds: empty})
	}
}

// planClients adds the files of the clients.
func (t tree) planClients(add func(folder, string, templates.Data)) {
	root := &templates.Clients{File: templates.File{Package: collect.PackageName(path.Base(t.clients.path), "clients")}}
	for _, group := range t.groups {
		groupFolder := t.clients.join(group.Dir)
		data := &templates.ClientsGroup{File: templates.File{Package: group.PackageName}, Group: group.Name}
		for _, version := range group.Versions {
			to := groupFolder.join(version.Dir)
			if t.planClientsOf(version, group, to, add) {
				data.Versions = append(data.Versions, templates.VersionAccessor{Name: version.GoName, Package: to.as(version.Dir)})
			}
		}
		if len(data.Versions) > 0 {
			add(groupFolder, "interface.go", data)
			root.Groups = append(root.Groups, templates.GroupAccessor{Name: group.GoName, Group: group.Name, Package: groupFolder.as(group.PackageName)})
		}
	}
	if len(root.Groups) > 0 {
		add(t.clients, "clients.go", root)
	}
}

// planClientsOf adds the files of a version's clients, and reports whether it has any.
func (t tree) planClientsOf(version *collect.Version, group *collect.Group, to folder, add func(folder, string, templates.Data)) bool {
	data := &templates.ClientsVersion{File: templates.File{Package: version.Dir, Reserved: map[string]bool{}}, Group: group.Name, Version: version.Name}
	reserve(data.File, collect.OwnIdentifiers)
	for _, kind := range version.Kinds {
		if kind.Client {
			reserve(data.File, kind.ClientIdentifiers())
			data.Kinds = append(data.Kinds, templateKind(kind))
		}
	}
	if len(data.Kinds) == 0 {
		return false
	}
	add(to, "interface.go", data)
	for _, kind := range data.Kinds {
		add(to, collect.FileName(kind.Ident), &templates.KindClient{File: data.File, Kind: kind})
	}
	return true
}

// reserve notes names that the package of a file declares.
func reserve(file templates.File, names []string) {
	for _, name := range names {
		file.Reserved[name] = true
	}
}

// templateKind returns the kind as templates see it.
func templateKind(k *collect.Kind) templates.Kind {
	data := k.Kind
	data.Singular = strings.ToLower(k.Name)
	for _, x := range k.Indexes {
		data.Indexes = append(data.Indexes, x.Index)
	}
	return data
}
