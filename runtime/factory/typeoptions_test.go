package factory_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clientgotesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	. "github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	shopinformers "github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

func (f podFactory) named(name string) podFactory { return podFactory{f.client, f.Named(name)} }

// Several informers of one type, each with options of its own, in one factory.
func TestForType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := map[string]string{"app": "web"}
		client := fake.NewClientset(pod("a", "1", web), pod("a", "2", nil), pod("b", "1", web), pod("c", "1", web))
		namespaces := source.NewNamespaces("a", "b")
		marked := func(p *v1.Pod) (*v1.Pod, error) {
			p.Annotations = map[string]string{"transformed": "yes"}
			return p, nil
		}
		f := podFactory{client, New(time.Hour,
			ForType(TypeOptions[*v1.Pod]{LabelSelector: labels.SelectorFromSet(web), Transform: marked, Resync: -1}),
			ForType(TypeOptions[*v1.Pod]{Name: "some", Namespaces: namespaces, ListWatch: &core.ListWatch{PageSize: 1}}),
		)}
		all, some := f.pods(), f.named("some").pods()
		if again := f.named("some").pods(); again != some {
			t.Error("those who use one name do not share the informer")
		}
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		check := func(informer cache.SharedIndexInformer, want ...string) {
			t.Helper()
			if got := keys(informer); !slices.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		check(all, "a/1", "b/1", "c/1")
		check(some, "a/1", "a/2", "b/1")
		if one, _, _ := all.GetStore().GetByKey("a/1"); one.(*v1.Pod).Annotations["transformed"] != "yes" {
			t.Error("the transform of the type was not called")
		}
		if one, _, _ := some.GetStore().GetByKey("a/1"); len(one.(*v1.Pod).Annotations) > 0 {
			t.Error("the transform of one informer was called for another")
		}
		if podsOfB, err := some.GetIndexer().ByIndex(cache.NamespaceIndex, "b"); len(podsOfB) != 1 || err != nil {
			t.Errorf("by namespace: %v, %v", podsOfB, err)
		}
		namespaces.Set("c")
		synctest.Wait()
		check(some, "c/1")

		var statuses []string
		for _, status := range f.Status() {
			statuses = append(statuses, status.Name)
		}
		if want := []string{"pods.v1", "pods.v1/some"}; !slices.Equal(statuses, want) {
			t.Errorf("statuses of %q, want %q", statuses, want)
		}
		if synced := f.WaitForCacheSync(ctx.Done()); len(synced) != 1 || !synced[reflect.TypeFor[*v1.Pod]()] {
			t.Errorf("in sync: %v", synced)
		}
		<-f.named("some").Release(&v1.Pod{})
		if len(f.Status()) != 1 {
			t.Error("the informer under a name was not released")
		}
		if err := f.WaitForSync(ctx); err != nil {
			t.Errorf("options of an informer that was released: %v", err)
		}
		cancel()
		f.Shutdown()
	})
}

// A namespace that is forbidden neither keeps the others waiting nor makes them stuck, however
// long they take.
func TestForbiddenNamespaceIsNotStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(pod("a", "1", nil), pod("b", "1", nil))
		var failures atomic.Int32
		client.PrependReactor("list", "pods", func(action clientgotesting.Action) (bool, runtime.Object, error) {
			switch {
			case action.GetNamespace() == "a":
				return true, nil, apierrors.NewForbidden(v1.Resource("pods"), "", errors.New("no role"))
			case failures.Add(1) <= 6:
				return true, nil, apierrors.NewInternalError(errors.New("not ready"))
			}
			return false, nil, nil
		})
		f := podFactory{client, New(0, ForType(TypeOptions[*v1.Pod]{Namespaces: source.NewNamespaces("a", "b")}))}
		pods := f.pods()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if err := f.WaitForSyncOrStuck(ctx); err != nil {
			t.Error(err)
		}
		if got := keys(pods); !slices.Equal(got, []string{"b/1"}) {
			t.Errorf("got %q", got)
		}
		cancel()
		f.Shutdown()
	})
}

// An informer of several namespaces is stuck if the resource is absent.
func TestAbsentNamespacesAreStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset()
		client.PrependReactor("list", "pods", func(action clientgotesting.Action) (bool, runtime.Object, error) {
			if action.GetNamespace() == "a" {
				return true, nil, apierrors.NewForbidden(v1.Resource("pods"), "", errors.New("no role"))
			}
			return true, nil, apierrors.NewNotFound(v1.Resource("pods"), "")
		})
		f := podFactory{client, New(0, ForType(TypeOptions[*v1.Pod]{Namespaces: source.NewNamespaces("a", "b")}))}
		f.pods()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		limited, end := context.WithTimeout(ctx, time.Hour)
		defer end()
		if err := f.WaitForSyncOrStuck(limited); !errors.Is(err, ErrStuck) {
			t.Errorf("got %v, want %v", err, ErrStuck)
		}
		cancel()
		f.Shutdown()
	})
}

// An informer of a selector of nothing has nothing, which its server says.
func TestSelectorOfNothing(t *testing.T) {
	parsed, err := labels.Parse(NoObjects)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range []labels.Set{nil, {"nothing": ""}, {"nothing": "x"}, {"app": "web"}} {
		if parsed.Matches(set) {
			t.Errorf("%q selects %v", NoObjects, set)
		}
	}
	for _, options := range []TypeOptions[*v1.Pod]{{LabelSelector: labels.Nothing()}, {FieldSelector: fields.Nothing()}} {
		synctest.Test(t, func(t *testing.T) {
			f := podFactory{fake.NewClientset(pod("a", "1", nil)), New(0, ForType(options))}
			pods := f.pods()
			ctx, cancel := context.WithCancel(t.Context())
			f.StartWithContext(ctx)
			if err := f.WaitForSync(ctx); err != nil {
				t.Error(err)
			}
			if got := keys(pods); len(got) > 0 {
				t.Errorf("got %q", got)
			}
			cancel()
			f.Shutdown()
		})
	}
}

// Options that come to nothing are an error that says why.
func TestForTypeMisuse(t *testing.T) {
	anyPod, anyNode := TypeOptions[*v1.Pod]{}, TypeOptions[*v1.Node]{}
	for _, test := range []struct {
		name    string
		options []Option
		request func(podFactory)
		want    string
	}{
		{"no such informer", []Option{ForType(anyNode)}, func(f podFactory) { f.pods() }, "*v1.Node: options of an informer have no effect: the factory has no such informer"},
		{"no informer of that name", []Option{ForType(TypeOptions[*v1.Pod]{Name: "mine"})}, func(f podFactory) { f.pods() }, "*v1.Pod/mine: options of an informer have no effect: the factory has no such informer"},
		{"given twice", []Option{ForType(anyPod), ForType(anyPod)}, func(f podFactory) { f.pods() }, "*v1.Pod: options of an informer have no effect: given twice"},
		{"namespaces of what has none", []Option{ForType(TypeOptions[*v1.Node]{Namespaces: source.NewNamespaces("a")})}, func(f podFactory) { f.nodes() }, "Namespaces of a resource that has none"},
		{"made by somebody else", []Option{ForType(anyPod)}, func(f podFactory) {
			f.InformerFor(&v1.Pod{}, func(time.Duration) cache.SharedIndexInformer {
				return NewInformer(podResource, podObjects(f.client, ""), InformerOptions{})
			})
		}, "not made by the generated accessors"},
		{"a name without options", nil, func(f podFactory) { f.named("mine").pods() }, "*v1.Pod/mine: informer under a name without options"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := fake.NewClientset(pod("a", "1", nil))
				f := podFactory{client, New(0, test.options...)}
				test.request(f)
				ctx, cancel := context.WithCancel(t.Context())
				f.StartWithContext(ctx)
				for name, wait := range map[string]func(context.Context) error{"WaitForSync": f.WaitForSync, "WaitForSyncOrStuck": f.WaitForSyncOrStuck} {
					if err := wait(ctx); err == nil || !strings.Contains(err.Error(), test.want) {
						t.Errorf("%s: %v, want %q", name, err, test.want)
					} else if strings.Contains(test.want, "have no effect") && !errors.Is(err, ErrOptionsUnused) {
						t.Errorf("%v is no ErrOptionsUnused", err)
					}
				}
				if test.options == nil && len(client.Actions()) > 0 {
					t.Errorf("an informer under an unknown name made requests: %v", client.Actions())
				}
				cancel()
				f.Shutdown()
			})
		})
	}
}

func TestSelecting(t *testing.T) {
	tier := labels.SelectorFromSet(labels.Set{"tier": "1"})
	node := fields.OneTermEqualSelector("spec.nodeName", "n1")
	fieldsOf := func(selector string) fields.Selector {
		parsed, err := fields.ParseSelector(selector)
		if err != nil {
			t.Fatal(err)
		}
		return parsed
	}
	ofNil, err := metav1.LabelSelectorAsSelector(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		byLabel   labels.Selector
		byField   fields.Selector
		have      metav1.ListOptions
		wantLabel string
		wantField string
	}{
		{"nothing", nil, nil, metav1.ListOptions{LabelSelector: "app=web"}, "app=web", ""},
		{"labels", tier, nil, metav1.ListOptions{}, "tier=1", ""},
		{"more labels", tier, nil, metav1.ListOptions{LabelSelector: "app=web"}, "app=web,tier=1", ""},
		{"fields", nil, node, metav1.ListOptions{LabelSelector: "app=web"}, "app=web", "spec.nodeName=n1"},
		{"more fields", tier, node, metav1.ListOptions{FieldSelector: "metadata.name=x"}, "tier=1", "metadata.name=x,spec.nodeName=n1"},
		{"everything", labels.Everything(), fields.Everything(), metav1.ListOptions{LabelSelector: "app=web"}, "app=web", ""},
		{"no labels", labels.Nothing(), nil, metav1.ListOptions{LabelSelector: "app=web"}, NoObjects, ""},
		{"no label selector of an API object", ofNil, node, metav1.ListOptions{}, NoObjects, ""},
		{"no fields", tier, fields.Nothing(), metav1.ListOptions{FieldSelector: "metadata.name=x"}, NoObjects, "metadata.name=x"},
		{"no fields and others", nil, fields.AndSelectors(fields.Nothing(), node), metav1.ListOptions{}, NoObjects, ""},
		{"fields that exclude each other", nil, fieldsOf("a=1,a!=1"), metav1.ListOptions{}, NoObjects, ""},
		{"everything and fields", nil, fields.AndSelectors(fields.Everything(), fieldsOf("a=1")), metav1.ListOptions{}, "", ",a=1"},
		{"all kinds of fields", nil, fieldsOf("a!=1,b=,b!=2,c!=3,c=4,d!=,d!=5,a!=6"), metav1.ListOptions{}, "", "a!=1,a!=6,b!=2,b=,c!=3,c=4,d!=,d!=5"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if tweak := Selecting(test.byLabel, test.byField); tweak != nil {
				tweak(&test.have)
			}
			if test.have.LabelSelector != test.wantLabel || test.have.FieldSelector != test.wantField {
				t.Errorf("got %q and %q", test.have.LabelSelector, test.have.FieldSelector)
			}
		})
	}
}

// An informer of a set of names follows the set, and one that is forbidden does not make it stuck.
func TestReferencesOfType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client := fake.NewClientset(pod("a", "1", nil), pod("a", "2", nil), pod("b", "1", nil))
		client.PrependReactor("list", "pods", func(action clientgotesting.Action) (bool, runtime.Object, error) {
			return action.GetNamespace() == "c", nil, apierrors.NewForbidden(v1.Resource("pods"), "", errors.New("no role"))
		})
		set := references.NewSet(types.NamespacedName{Namespace: "a", Name: "1"}, types.NamespacedName{Namespace: "c", Name: "1"})
		f := podFactory{client, New(0, ForType(TypeOptions[*v1.Pod]{References: set}))}
		pods := f.pods()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if err := f.WaitForSyncOrStuck(ctx); err != nil {
			t.Error(err)
		}
		if got := keys(pods); !slices.Equal(got, []string{"a/1"}) {
			t.Errorf("got %q", got)
		}
		set.Change([]types.NamespacedName{{Namespace: "a", Name: "2"}, {Namespace: "b", Name: "1"}}, []types.NamespacedName{{Namespace: "a", Name: "1"}})
		synctest.Wait()
		if got := keys(pods); !slices.Equal(got, []string{"a/2", "b/1"}) {
			t.Errorf("got %q", got)
		}
		if status := f.Status()[0]; status.ObjectErrors > 0 {
			t.Errorf("objects that the fake returns though they were not requested: %v", status)
		}
		cancel()
		f.Shutdown()
	})
}

func TestReferencesBesideNamespaces(t *testing.T) {
	f := podFactory{fake.NewClientset(), New(0, ForType(TypeOptions[*v1.Pod]{References: references.NewSet(), Namespaces: source.NewNamespaces("a")}))}
	f.pods()
	f.StartWithContext(t.Context())
	if err := f.WaitForSyncOrStuck(t.Context()); !errors.Is(err, ErrOptionsUnused) {
		t.Errorf("got %v", err)
	}
}

// Over a source.Client, names of a generated factory share a watch of metadata when there are many.
func TestManyReferencesOfType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, set := cachetest.NewServer(), references.NewSet()
		var orders []*shopv1alpha1.Order
		for i := range 100 {
			orders = append(orders, order(fmt.Sprint("order-", i)))
			set.Add(types.NamespacedName{Namespace: "shop", Name: fmt.Sprint("order-", 2*i)})
		}
		cachetest.ServeObjects(server, shopv1alpha1.GroupVersion.WithResource("orders"), orders...)
		client, err := source.NewClient(&rest.Config{Host: "http://cachetest", Transport: server, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		f := shopinformers.NewSharedInformerFactoryWithOptions(client, 0, ForType(TypeOptions[*shopv1alpha1.Order]{References: set}))
		f.Shop().V1alpha1().Orders().Informer()
		ctx, cancel := context.WithCancel(t.Context())
		f.StartWithContext(ctx)
		if err := f.WaitForSyncOrStuck(ctx); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if s := f.Status()[0]; s.Objects != 50 || s.Names.Absent != 50 || s.Names.ByMetadata != 68 {
			t.Errorf("%d objects, %+v", s.Objects, s.Names)
		}
		cancel()
		f.Shutdown()
	})
}
