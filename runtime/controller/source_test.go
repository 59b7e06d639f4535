package controller

import (
	"slices"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

var orderKind = schema.GroupKind{Group: "shop.example.com", Kind: "Order"}

// owned returns a config map with owner references.
func owned(name string, refs ...metav1.OwnerReference) *corev1.ConfigMap {
	obj := configMap(name)
	obj.OwnerReferences = refs
	return obj
}

func ref(apiVersion, kind, name string, controller bool) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, Controller: &controller}
}

func TestOwnerKeys(t *testing.T) {
	order := ref("shop.example.com/v1", "Order", "first", true)
	for _, c := range []struct {
		name  string
		owner schema.GroupKind
		refs  []metav1.OwnerReference
		want  string
	}{
		{name: "none"},
		{name: "its controller", refs: []metav1.OwnerReference{order}, want: "first"},
		{name: "in another version", refs: []metav1.OwnerReference{ref("shop.example.com/v2beta1", "Order", "first", true)}, want: "first"},
		{name: "of another group", refs: []metav1.OwnerReference{ref("example.com/v1", "Order", "first", true)}},
		{name: "of the core group", refs: []metav1.OwnerReference{ref("v1", "Order", "first", true)}},
		{name: "of another kind", refs: []metav1.OwnerReference{ref("shop.example.com/v1", "Customer", "first", true)}},
		{name: "not its controller", refs: []metav1.OwnerReference{ref("shop.example.com/v1", "Order", "first", false)}},
		{name: "among others", refs: []metav1.OwnerReference{ref("v1", "Pod", "other", false), order}, want: "first"},
		{name: "a version that can't be", refs: []metav1.OwnerReference{ref("a/b/c", "Order", "first", true)}},
		{name: "a kind of the core group", owner: schema.GroupKind{Kind: "Pod"}, refs: []metav1.OwnerReference{ref("v1", "Pod", "p", true)}, want: "p"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.owner.Empty() {
				c.owner = orderKind
			}
			var want, wantClusterScoped []types.NamespacedName
			if c.want != "" {
				want, wantClusterScoped = []types.NamespacedName{key(c.want)}, []types.NamespacedName{{Name: c.want}}
			}
			if diff := cmp.Diff(want, ownerKeys(owned("o", c.refs...), c.owner, true)); diff != "" {
				t.Errorf("in a namespace (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(wantClusterScoped, ownerKeys(owned("o", c.refs...), c.owner, false)); diff != "" {
				t.Errorf("cluster-scoped (-want +got):\n%s", diff)
			}
		})
	}
	if got := ownerKeys("no object", orderKind, true); got != nil {
		t.Errorf("something without metadata has owners %v", got)
	}
}

// What each source makes of an object that is created, changed and deleted.
func TestSources(t *testing.T) {
	never := func(_, _ *corev1.ConfigMap) bool { return false }
	data := func(obj *corev1.ConfigMap) []types.NamespacedName { return []types.NamespacedName{key(obj.Data["to"])} }
	byData := func(name, to string) *corev1.ConfigMap {
		obj := configMap(name)
		obj.Data = map[string]string{"to": to}
		return obj
	}
	byOwner := func(name, owner string) *corev1.ConfigMap {
		return owned(name, ref("shop.example.com/v1", "Order", owner, true))
	}
	for _, c := range []struct {
		name     string
		source   func(w world[*corev1.ConfigMap]) Source
		from, to *corev1.ConfigMap
		// the keys after each step
		created, updated, deleted []string
	}{
		{
			name:   "keys",
			source: func(w world[*corev1.ConfigMap]) Source { return KeysOf(w.informer) },
			from:   byData("a", "1"), to: byData("a", "2"),
			created: []string{"a"}, updated: []string{"a"}, deleted: []string{"a"},
		},
		{
			name:   "keys, no update matters",
			source: func(w world[*corev1.ConfigMap]) Source { return KeysOf(w.informer, never) },
			from:   byData("a", "1"), to: byData("a", "2"),
			created: []string{"a"}, updated: []string{}, deleted: []string{"a"},
		},
		{
			name:   "the owner changes, which always matters",
			source: func(w world[*corev1.ConfigMap]) Source { return OwnersOf(w.informer, orderKind, never) },
			from:   byOwner("a", "former"), to: byOwner("a", "present"),
			created: []string{"former"}, updated: []string{"former", "present"}, deleted: []string{"present"},
		},
		{
			name:   "the owner is removed",
			source: func(w world[*corev1.ConfigMap]) Source { return ClusterScopedOwnersOf(w.informer, orderKind) },
			from:   byOwner("a", "former"), to: owned("a"),
			created: []string{"former"}, updated: []string{"former"}, deleted: []string{},
		},
		{
			name:   "mapped",
			source: func(w world[*corev1.ConfigMap]) Source { return MappedKeysOf(w.informer, data) },
			from:   byData("a", "1"), to: byData("a", "2"),
			created: []string{"1"}, updated: []string{"1", "2"}, deleted: []string{"2"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld[*corev1.ConfigMap]()
				w.follow(t)
				var seen calls
				start(t, mustNew(t, seen.reconcile, Options{}, c.source(w)))
				step := func(name string, want []string) {
					synctest.Wait()
					if got := seen.take(); !slices.Equal(got, want) {
						t.Errorf("%s: %q, want %q", name, got, want)
					}
				}
				step("start", []string{})
				must(w.api.Create(c.from))
				step("created", c.created)
				must(w.api.Update(c.to))
				step("updated", c.updated)
				must(w.api.Delete(key("a")))
				step("deleted", c.deleted)
			})
		})
	}
}

// A namespace that leaves the set of an informer is no deletion of its objects.
func TestSourceOfNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := configMap("b")
		other.Namespace = "other"
		w := newWorld(configMap("a"), other)
		namespaces := source.NewNamespaces("ns", "other")
		w.informer = cache.New(source.InNamespaces(namespaces, w.api.InNamespace), cache.Options[*corev1.ConfigMap]{})
		w.follow(t)
		var seen calls
		start(t, mustNew(t, seen.reconcile, Options{}, KeysOf(w.informer)))
		step := func(name string, want ...string) {
			t.Helper()
			synctest.Wait()
			if got := seen.take(); !slices.Equal(slices.Sorted(slices.Values(got)), want) {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		step("start", "a", "b")
		namespaces.Set("other")
		step("left")
		must(w.api.Delete(types.NamespacedName{Namespace: "other", Name: "b"}))
		step("deleted", "b")
		namespaces.Set("ns", "other")
		step("joined", "a")
	})
}
