package generators

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// typedClient is the client of one group and version, as far as it was read: the
// package typed/<group>/<version> of a clientset, and the interface in it that the
// clientset's method returns.
type typedClient struct {
	decl    *declaration
	getters methodSet
}

// method is one of an interface.
type method struct {
	holder    *declaration // which has the result's names
	signature *ast.FuncType
	pos       token.Position
}

// methodSet are the methods of an interface with those that it embeds.
type methodSet struct {
	methods map[string]method
	// partial is true if something that it embeds was not found.
	partial bool
}

// typedClient reads the client that a method of the clientset leads to. It returns nil
// for one that can't be read, or that is no interface: the compiler reports it.
func (c *clientset) typedClient(accessor string) *typedClient {
	found, ok := c.typed[accessor]
	if !ok {
		return nil
	}
	rel, ok := strings.CutPrefix(found.path, c.path+"/")
	if !ok {
		return nil
	}
	pkg := c.pkg.loader.parseClient(found.path, filepath.Join(c.pkg.Dir, filepath.FromSlash(rel)))
	if pkg == nil {
		return nil
	}
	decl := pkg.typ(found.name)
	if decl == nil {
		return nil
	}
	if _, ok := decl.spec.Type.(*ast.InterfaceType); !ok {
		return nil
	}
	return &typedClient{decl: decl, getters: decl.methodSet(visited{})}
}

// parseClient parses a package of a clientset, without comments, which are most of it.
// It returns nil if there is none, or one with a syntax error.
func (l *loader) parseClient(path, dir string) *Package {
	names, err := goFiles(dir)
	if err != nil {
		return nil
	}
	pkg := &Package{Path: path, Dir: dir, Files: make([]*File, len(names)), loader: l}
	var group errgroup.Group
	group.SetLimit(parallel)
	for i, name := range names {
		group.Go(func() error {
			file := filepath.Join(dir, name)
			source, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			syntax, err := parser.ParseFile(l.fset, relative(l.dir, file), upToLastType(source), parser.SkipObjectResolution)
			pkg.Files[i] = &File{Name: name, Syntax: syntax}
			return err
		})
	}
	if group.Wait() != nil || len(names) == 0 {
		return nil
	}
	pkg.Name = pkg.Files[0].Syntax.Name.Name
	return pkg
}

// upToLastType cuts off the functions that follow the last type of a formatted source.
func upToLastType(source []byte) []byte {
	last := max(0, bytes.LastIndex(source, []byte("\ntype ")))
	if end := bytes.Index(source[last:], []byte("\nfunc ")); end >= 0 {
		return source[:last+end+1]
	}
	return source
}

// methodSet returns the methods of an interface; it is partial for any other type.
func (d *declaration) methodSet(seen visited) methodSet {
	set := methodSet{methods: map[string]method{}}
	body, ok := d.unalias().spec.Type.(*ast.InterfaceType)
	if !ok {
		set.partial = true
	}
	if !ok || !seen.first(body) {
		return set
	}
	d = d.unalias()
	for _, field := range body.Methods.List {
		if signature, ok := field.Type.(*ast.FuncType); ok {
			for _, name := range field.Names {
				set.methods[name.Name] = method{holder: d, signature: signature, pos: d.pkg.loader.position(name.Pos())}
			}
			continue
		}
		base, _ := d.refer(field.Type)
		if base == nil {
			set.partial = true
			continue
		}
		embedded := base.methodSet(seen)
		maps.Copy(set.methods, embedded.methods)
		set.partial = set.partial || embedded.partial
	}
	return set
}

// check reports what the generated code calls for a kind and the client does not
// have: client.ShopV1().Orders(namespace).List and Watch.
func (c *typedClient) check(kind *Kind, diags *diagnostics) {
	at := c.decl.pkg.loader.position(c.decl.spec.Name.Pos())
	getter, ok := c.getters.methods[kind.Plural]
	if !ok {
		if !c.getters.partial {
			diags.errorf(kind.Pos, "clientset: %s at %s has no method %s for %s; run client-gen first, which writes it%s",
				c.decl.spec.Name.Name, at, kind.Plural, kind.Name, c.otherPlural(kind))
		}
		return
	}
	switch takes := getter.signature.Params.NumFields(); {
	case kind.Namespaced && takes == 0:
		diags.errorf(kind.Pos, "scope: %s is Namespaced, but %s at %s takes no namespace; run client-gen first, or give %s the tag +genclient:nonNamespaced",
			kind.Name, kind.Plural, getter.pos, kind.Name)
		return
	case !kind.Namespaced && takes > 0:
		diags.errorf(kind.Pos, "scope: %s is Cluster, but %s at %s takes a namespace; run client-gen first, or leave out the tag +genclient:nonNamespaced",
			kind.Name, kind.Plural, getter.pos)
		return
	}
	client := getter.result()
	if client == nil {
		return
	}
	has := client.methodSet(visited{})
	for _, verb := range []string{"List", "Watch"} {
		if _, ok := has.methods[verb]; !ok && !has.partial {
			diags.errorf(kind.Pos, "clientset: %s at %s has no method %s, which the informer of %s calls; run client-gen first, or leave out the verb with +genclient:skipVerbs=%s",
				client.spec.Name.Name, client.pkg.loader.position(client.spec.Name.Pos()), verb, kind.Name, strings.ToLower(verb))
		}
	}
}

// otherPlural says how to take the plural of the client, if it has another one for a
// kind: a method whose result is called after the kind.
func (c *typedClient) otherPlural(kind *Kind) string {
	for _, name := range slices.Sorted(maps.Keys(c.getters.methods)) {
		if results := c.getters.methods[name].signature.Results; results.NumFields() == 1 && baseName(results.List[0].Type) == kind.Name+"Interface" {
			return ", or take its method " + name + " with --plural-exceptions=" + kind.Name + ":" + name
		}
	}
	return ""
}

// result returns the declaration of the only result of a method, or nil.
func (m method) result() *declaration {
	if m.signature.Results.NumFields() != 1 {
		return nil
	}
	found, _ := m.holder.refer(m.signature.Results.List[0].Type)
	return found
}
