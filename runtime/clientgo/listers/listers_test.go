package listers

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	clientgo "k8s.io/client-go/listers"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

var podResource = schema.GroupResource{Resource: "pods"}

func pod(namespace, name string, set labels.Set) *v1.Pod {
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: set}}
}

// indexers returns each kind of indexer that a lister may get, all with the
// same pods.
func indexers(t testing.TB) map[string]cache.Indexer {
	t.Helper()
	store := func(indexes ...core.Index[*v1.Pod]) core.WritableStore[*v1.Pod] {
		s, err := core.NewStore(func(p *v1.Pod) (types.NamespacedName, error) { return core.KeyOf(p) }, indexes...)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	byNamespace := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	all := map[string]cache.Indexer{
		"typed store":               clientgocache.UntypedIndexer(store(core.NamespaceIndex[*v1.Pod]())),
		"typed store without index": clientgocache.UntypedIndexer(store()),
		"our untyped":               clientgocache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace),
		"client-go's":               cache.NewIndexer(cache.MetaNamespaceKeyFunc, byNamespace),
		"client-go's without index": cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{}),
	}
	for _, x := range all {
		for _, p := range []*v1.Pod{
			pod("a", "1", labels.Set{"app": "web"}),
			pod("a", "2", labels.Set{"app": "db"}),
			pod("b", "1", labels.Set{"app": "web"}),
			pod("", "bare", nil),
		} {
			if err := x.Add(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	return all
}

func names(pods []*v1.Pod) string {
	var all []string
	for _, p := range pods {
		all = append(all, p.Namespace+"/"+p.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// lister has the methods that our lister and client-go's have in common.
type lister interface {
	List(labels.Selector) ([]*v1.Pod, error)
	Get(string) (*v1.Pod, error)
}

// Our listers and client-go's say the same of every indexer.
func TestListers(t *testing.T) {
	web := labels.SelectorFromSet(labels.Set{"app": "web"})
	for indexerName, x := range indexers(t) {
		ours, theirs := New[*v1.Pod](x, podResource), clientgo.New[*v1.Pod](x, podResource)
		for listerName, in := range map[string]func(namespace string) lister{
			"ours": func(ns string) lister { return NewNamespaced(ours, ns) },
			"client-go's": func(ns string) lister {
				if ns == "" {
					return theirs
				}
				return clientgo.NewNamespaced(theirs, ns)
			},
		} {
			t.Run(indexerName+"/"+listerName, func(t *testing.T) {
				for _, c := range []struct {
					namespace string
					selector  labels.Selector
					want      string
				}{
					{"", labels.Everything(), "/bare a/1 a/2 b/1"},
					{"a", labels.Everything(), "a/1 a/2"},
					{"none", labels.Everything(), ""},
					{"", web, "a/1 b/1"},
					{"b", web, "b/1"},
					{"none", web, ""},
					{"", labels.Nothing(), ""},
					{"a", labels.Nothing(), ""},
				} {
					got, err := in(c.namespace).List(c.selector)
					if err != nil || names(got) != c.want || (got == nil) != (c.want == "") {
						t.Errorf("List(%q) in %q: %q (nil: %t), %v", c.selector, c.namespace, names(got), got == nil, err)
					}
				}
				for _, c := range []struct{ namespace, name, want string }{
					{"a", "1", "a/1"},
					{"", "bare", "/bare"},
					{"", "b/1", "b/1"},
					{"a", "bare", ""},
					{"", "1", ""},
				} {
					got, err := in(c.namespace).Get(c.name)
					if c.want != "" && (err != nil || names([]*v1.Pod{got}) != c.want) {
						t.Errorf("Get(%q) in %q: %v, %v", c.name, c.namespace, got, err)
					}
					if c.want == "" && (!apierrors.IsNotFound(err) || err.Error() != `pods "`+c.name+`" not found` || got != nil) {
						t.Errorf("Get(%q) in %q: %v, %v, want not found", c.name, c.namespace, got, err)
					}
				}
			})
		}
	}
}

// The generated listers of client-go work over our indexers.
func TestGeneratedListersOfClientGo(t *testing.T) {
	for name, x := range indexers(t) {
		l := corelisters.NewPodLister(x)
		got, err := l.Pods("a").List(labels.Everything())
		if err != nil || names(got) != "a/1 a/2" {
			t.Errorf("%s: %q, %v", name, names(got), err)
		}
		if p, err := l.Pods("b").Get("1"); err != nil || p.Namespace != "b" {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
}

// An indexer of something else is an error, and not a panic.
func TestIndexerOfAnotherType(t *testing.T) {
	x := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{})
	if err := x.Add(&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}}); err != nil {
		t.Fatal(err)
	}
	l := New[*v1.Pod](x, podResource)
	const want = "object of type *v1.Node in the indexer: not a *v1.Pod"
	if _, err := l.List(labels.Everything()); err == nil || err.Error() != want {
		t.Errorf("List: %v", err)
	}
	if _, err := l.Get("n"); err == nil || err.Error() != want {
		t.Errorf("Get: %v", err)
	}
}

func TestAllocations(t *testing.T) {
	l := New[*v1.Pod](indexers(t)["typed store"], podResource)
	inNamespace := NewNamespaced(l, "a")
	for name, c := range map[string]struct {
		want float64
		do   func() error
	}{
		"list all":       {1, func() error { _, err := l.List(labels.Everything()); return err }},
		"list namespace": {1, func() error { _, err := inNamespace.List(labels.Everything()); return err }},
		"get":            {0, func() error { _, err := inNamespace.Get("1"); return err }},
		"namespaced":     {0, func() error { _, err := NewNamespaced(l, "a").Get("1"); return err }},
	} {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		if got := testing.AllocsPerRun(100, func() { _ = c.do() }); got != c.want {
			t.Errorf("%s: %v allocations, want %v", name, got, c.want)
		}
	}
}

// What an informer has left out is an error that says why, and not "not found", for every lister over
// its indexer, also one that is made of its store.
func TestListersOfLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		informer := core.New(cachetest.NewAPI(pod("a", "bad", nil), pod("a", "dropped", nil), pod("a", "good", nil)).Source(), core.Options[*v1.Pod]{
			Transform: func(p *v1.Pod) (*v1.Pod, error) {
				switch p.Name {
				case "bad":
					return nil, errors.New("no good")
				case "dropped":
					return nil, nil
				}
				return p, nil
			},
		})
		ctx, cancel := context.WithCancel(t.Context())
		defer synctest.Wait()
		defer cancel()
		go func() { _ = informer.Run(ctx) }()
		synctest.Wait()

		adapter := clientgocache.Untyped(informer, clientgocache.AdapterOptions{})
		for name, x := range map[string]cache.Indexer{
			"of the informer":    adapter.GetIndexer(),
			"typed":              clientgocache.NewTypedSharedIndexInformer[*v1.Pod](adapter).GetTypedIndexer(),
			"of the store":       clientgocache.UntypedIndexer(informer.Store().Writable()),
			"of the typed store": clientgocache.TypedIndexerOf(informer.Store().Writable()),
		} {
			ours := New[*v1.Pod](x, podResource)
			get := map[string]func(name string) (any, error){
				"namespaced":        func(name string) (any, error) { return NewNamespaced(ours, "a").Get(name) },
				"of all namespaces": func(name string) (any, error) { return ours.Get("a/" + name) },
				"of client-go":      func(name string) (any, error) { return corelisters.NewPodLister(x).Pods("a").Get(name) },
				"generic": func(name string) (any, error) {
					return cache.NewGenericLister(x, podResource).ByNamespace("a").Get(name)
				},
				"by key, as a manager does": byKey(func(name string) (any, bool, error) { return x.GetByKey("a/" + name) }),
				"by object":                 byKey(func(name string) (any, bool, error) { return x.Get(pod("a", name, nil)) }),
			}
			for lister, get := range get {
				if got, err := get("good"); err != nil || got.(*v1.Pod).Name != "good" {
					t.Errorf("%s, %s: got %v, %v", name, lister, got, err)
				}
				if _, err := get("bad"); !errors.Is(err, failure.ErrLeftOut) || apierrors.IsNotFound(err) || !strings.HasSuffix(err.Error(), `object "a/bad": left out: transform: no good`) {
					t.Errorf("%s, %s: left out: %v", name, lister, err)
				}
				for _, absent := range []string{"dropped", "never"} {
					if _, err := get(absent); !apierrors.IsNotFound(err) {
						t.Errorf("%s, %s: %s: %v", name, lister, absent, err)
					}
				}
			}
		}
	})
}

// byKey gets as the reader of controller-runtime's cache does.
func byKey(get func(name string) (obj any, exists bool, err error)) func(name string) (any, error) {
	return func(name string) (any, error) {
		obj, exists, err := get(name)
		if err == nil && !exists {
			err = apierrors.NewNotFound(podResource, name)
		}
		return obj, err
	}
}
