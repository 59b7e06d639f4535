package collect

import (
	"go/ast"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/informer-gen/informer-gen/generators/internal/diag"
	"github.com/informer-gen/informer-gen/generators/internal/load"
)

// clientset is a clientset as far as it was read.
type clientset struct {
	path string
	pkg  *load.Package
	// methods are the methods of its Interface without parameters, such as "AppsV1()", with the types
	// that they return. Types of typed clients are in typed/<group>/<version>.
	methods map[string]typeName
	// last is the typed client that was asked for last. Not all are kept, for the memory.
	last struct {
		path string
		pkg  *load.Package
	}
}

// typeName is a type by its import path and name; both are empty for one that is no client.
type typeName struct{ path, name string }

// readClientset reads the clientset of an import path. It returns nil for one that is
// not there: scripts may run client-gen later.
func readClientset(l *load.Loader, path string) *clientset {
	if l.Mods.Lacks(path, l.Dir) {
		return nil
	}
	pkg := l.LoadImport(path, l.Dir)
	if pkg == nil {
		delete(l.Failed, path) // no API type refers to it
		return nil
	}
	decl := pkg.Type("Interface")
	if decl == nil {
		return nil
	}
	methods, ok := decl.Spec.Type.(*ast.InterfaceType)
	if !ok {
		return nil
	}
	found := &clientset{path: path, pkg: pkg, methods: map[string]typeName{}}
	for _, method := range methods.Methods.List {
		signature, ok := method.Type.(*ast.FuncType)
		if !ok || len(method.Names) != 1 || signature.Params.NumFields() > 0 || signature.Results.NumFields() != 1 {
			continue
		}
		client := typeName{}
		if result, ok := signature.Results.List[0].Type.(*ast.SelectorExpr); ok {
			if typed := decl.File.ImportPath(pkg, load.BaseName(result.X)); strings.Contains(typed, "/typed/") {
				client = typeName{typed, result.Sel.Name}
			}
		}
		found.methods[method.Names[0].Name+"()"] = client
	}
	return found
}

func (c *clientset) has(method string) bool {
	_, ok := c.methods[method]
	return ok
}

// client returns the package of a typed client, or nil if it can't be read: the compiler reports it.
func (c *clientset) client(path string) *load.Package {
	if path == c.last.path {
		return c.last.pkg
	}
	dir := c.dir(path)
	if dir == "" {
		return nil
	}
	c.last.path, c.last.pkg = path, c.pkg.Loader.ParseTypes(path, dir)
	return c.last.pkg
}

// dir returns the directory of a typed client, or "" if it is none of the clientset's.
func (c *clientset) dir(path string) string {
	if rel, below := strings.CutPrefix(path, c.path+"/"); below {
		return filepath.Join(c.pkg.Dir, filepath.FromSlash(rel))
	}
	return ""
}

// accessor returns the method that leads to the client of an API package's types,
// or "": of the typed clients whose path ends like the package's, or else of all,
// that which imports the package.
func (c *clientset) accessor(api *load.Package) string {
	suffix := "/typed/" + strings.ToLower(pathGroup(api.Path)+"/"+path.Base(api.Path))
	byPath := slices.SortedFunc(maps.Keys(c.methods), func(a, b string) int { return strings.Compare(c.methods[a].path, c.methods[b].path) })
	for _, likely := range []bool{true, false} {
		for _, method := range byPath {
			typed := c.methods[method].path
			if strings.HasSuffix(strings.ToLower(typed), suffix) != likely || !likely && !load.Quotes(c.dir(typed), api.Path) {
				continue
			}
			if client := c.client(typed); client != nil && client.Imports(api.Path) {
				return method
			}
		}
	}
	return ""
}

// check reports what the clients of kinds lack, to which a method of the clientset leads. It leaves
// out a client that can't be read, or that is no interface: the compiler reports it.
func (c *clientset) check(accessor string, kinds []*Kind, diags *diag.List) {
	found := c.methods[accessor]
	pkg := c.client(found.path)
	if pkg == nil {
		return
	}
	decl := pkg.Type(found.name)
	if decl == nil {
		return
	}
	getters := decl.MethodSet()
	for _, kind := range kinds {
		if kind.HasInformer {
			checkKind(kind, decl, getters, diags)
		}
	}
}

// checkKind reports what the generated code calls for a kind and its client, which has the getters,
// does not have: client.ShopV1().Orders(namespace).List and Watch.
func checkKind(kind *Kind, decl *load.Declaration, getters load.MethodSet, diags *diag.List) {
	at := decl.Position()
	getter, ok := getters.Methods[kind.Plural]
	if !ok {
		if !getters.Partial {
			diags.Errorf(kind.Pos, "clientset: %s at %s has no method %s for %s; run client-gen first, which writes it%s",
				decl.Name(), at, kind.Plural, kind.Name, otherPlural(kind, getters))
		}
		return
	}
	switch takes := getter.Signature.Params.NumFields(); {
	case kind.Namespaced && takes == 0:
		diags.Errorf(kind.Pos, "scope: %s is Namespaced, but %s at %s takes no namespace; run client-gen first, or give %s the tag +genclient:nonNamespaced",
			kind.Name, kind.Plural, getter.Position(), kind.Name)
		return
	case !kind.Namespaced && takes > 0:
		diags.Errorf(kind.Pos, "scope: %s is Cluster, but %s at %s takes a namespace; run client-gen first, or leave out the tag +genclient:nonNamespaced",
			kind.Name, kind.Plural, getter.Position())
		return
	}
	client := getter.Result()
	if client == nil {
		return
	}
	has := client.MethodSet()
	for _, verb := range []string{"List", "Watch"} {
		if _, ok := has.Methods[verb]; !ok && !has.Partial {
			diags.Errorf(kind.Pos, "clientset: %s at %s has no method %s, which the informer of %s calls; run client-gen first, or leave out the verb with +genclient:skipVerbs=%s",
				client.Name(), client.Position(), verb, kind.Name, strings.ToLower(verb))
		}
	}
}

// otherPlural says how to take the plural of the client, if it has another one for a
// kind: a method whose result is called after the kind.
func otherPlural(kind *Kind, getters load.MethodSet) string {
	for _, name := range slices.Sorted(maps.Keys(getters.Methods)) {
		if results := getters.Methods[name].Signature.Results; results.NumFields() == 1 && load.BaseName(results.List[0].Type) == kind.Name+"Interface" {
			return ", or take its method " + name + " with --plural-exceptions=" + kind.Name + ":" + name
		}
	}
	return ""
}
