package cachetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// carp makes an object of "namespace/name" with labels "k=v".
func carp(key string, labels ...string) *testv1.Carp {
	namespace, name, _ := strings.Cut(key, "/")
	obj := &testv1.Carp{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	for _, label := range labels {
		k, v, _ := strings.Cut(label, "=")
		metav1.SetMetaDataLabel(&obj.ObjectMeta, k, v)
	}
	return obj
}

// on returns the object on another node.
func on(node string, obj *testv1.Carp) *testv1.Carp {
	obj.Spec.NodeName = node
	return obj
}

func key(s string) types.NamespacedName {
	namespace, name, _ := strings.Cut(s, "/")
	return types.NamespacedName{Namespace: namespace, Name: name}
}

// must returns a value that no error came with.
func must[V any](value V, err error) func(testing.TB) V {
	return func(t testing.TB) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// names returns "namespace/name@resourceVersion" of each object.
func names(objs []*testv1.Carp) []string {
	var s []string
	for _, obj := range objs {
		s = append(s, key(obj.Namespace+"/"+obj.Name).String()+"@"+obj.ResourceVersion)
	}
	return s
}

func TestWrites(t *testing.T) {
	api := NewAPI(carp("a/one"), carp("a/two"))
	if got, want := names(api.Objects()), []string{"a/one@2", "a/two@3"}; !cmp.Equal(got, want) {
		t.Fatalf("objects are %v, want %v", got, want)
	}

	created := must(api.Create(carp("b/three")))(t)
	if created.ResourceVersion != "4" || created.UID == "" {
		t.Errorf("created with resourceVersion %q and UID %q", created.ResourceVersion, created.UID)
	}
	created.Spec.NodeName = "mine"
	if got := must(api.Get(key("b/three")))(t); got.Spec.NodeName != "" {
		t.Error("the API shares an object with its caller")
	}

	updated := must(api.Update(created))(t)
	if updated.ResourceVersion != "5" || updated.UID != created.UID {
		t.Errorf("updated to resourceVersion %q, UID %q", updated.ResourceVersion, updated.UID)
	}
	if same := must(api.Update(updated))(t); same.ResourceVersion != "5" {
		t.Errorf("an update that changes nothing made resourceVersion %q", same.ResourceVersion)
	}
	unconditional := must(api.Update(on("other", carp("b/three"))))(t)
	if unconditional.ResourceVersion != "6" || unconditional.UID != created.UID {
		t.Errorf("updated to resourceVersion %q, UID %q", unconditional.ResourceVersion, unconditional.UID)
	}

	deleted := must(api.Delete(key("b/three")))(t)
	if deleted.ResourceVersion != "7" || deleted.Spec.NodeName != "other" {
		t.Errorf("deleted %s on %q", deleted.ResourceVersion, deleted.Spec.NodeName)
	}
	if again := must(api.Create(carp("b/three")))(t); again.UID == created.UID {
		t.Error("two objects have one UID")
	}
	generated := carp("b/")
	generated.GenerateName = "some-"
	if got := must(api.Create(generated))(t); !strings.HasPrefix(got.Name, "some-0") {
		t.Errorf("generated name is %q", got.Name)
	}
	if got := api.ResourceVersion(); got != "9" {
		t.Errorf("latest resourceVersion is %s, want 9", got)
	}
}

func TestWriteErrors(t *testing.T) {
	stale := carp("a/one")
	stale.ResourceVersion = "1"
	foreign := carp("a/one")
	foreign.UID = "other"
	type carps = *API[*testv1.Carp]
	create := func(obj *testv1.Carp) func(carps) error {
		return func(a carps) error { _, err := a.Create(obj); return err }
	}
	update := func(obj *testv1.Carp) func(carps) error {
		return func(a carps) error { _, err := a.Update(obj); return err }
	}
	for name, test := range map[string]struct {
		write func(carps) error
		is    func(error) bool
	}{
		"create existing":     {create(carp("a/one")), apierrors.IsAlreadyExists},
		"create versioned":    {create(stale), apierrors.IsBadRequest},
		"create without name": {create(carp("a/")), apierrors.IsBadRequest},
		"create nil":          {create(nil), apierrors.IsBadRequest},
		"update absent":       {update(carp("a/two")), apierrors.IsNotFound},
		"update stale":        {update(stale), apierrors.IsConflict},
		"update other UID":    {update(foreign), apierrors.IsConflict},
		"delete absent":       {func(a carps) error { _, err := a.Delete(key("a/two")); return err }, apierrors.IsNotFound},
		"get absent":          {func(a carps) error { _, err := a.Get(key("a/two")); return err }, apierrors.IsNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			api := NewAPI(carp("a/one"))
			if err := test.write(api); !test.is(err) {
				t.Errorf("error is %v", err)
			}
			if got := names(api.Objects()); !cmp.Equal(got, []string{"a/one@2"}) {
				t.Errorf("objects are %v", got)
			}
		})
	}
}

// However many objects can't be created, the error is one: joined with itself for each, it
// took a server of 30 of them for ever to look into it.
func TestNewAPIKeepsOneError(t *testing.T) {
	bad := make([]*testv1.Carp, 100)
	for i := range bad {
		bad[i] = carp(fmt.Sprintf("a/%d", i))
		bad[i].ResourceVersion = "7"
	}
	_, err := NewAPI(bad...).List(t.Context(), metav1.ListOptions{}, func(any, error) {})
	if want := "resourceVersion should not be set on objects to be created"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %q", err, want)
	}
}

func TestNewAPIKeepsItsError(t *testing.T) {
	api := NewAPI(carp("a/one"), carp("a/one"))
	_, listErr := api.List(t.Context(), metav1.ListOptions{}, func(any, error) {})
	_, watchErr := api.Watch(t.Context(), metav1.ListOptions{})
	_, createErr := api.Create(carp("a/two"))
	_, deleteErr := api.Delete(key("a/one"))
	_, getErr := api.Get(key("a/one"))
	for _, err := range []error{listErr, watchErr, createErr, deleteErr, getErr} {
		if !apierrors.IsAlreadyExists(err) {
			t.Errorf("error is %v", err)
		}
	}
}

// TestConcurrent: several writers, and clients in memory that list and watch
// meanwhile; in the end every client has what the API has.
func TestConcurrent(t *testing.T) {
	api := NewAPI[*testv1.Carp]()
	var clients, writers sync.WaitGroup
	views := make([]map[string]string, 4)
	for i := range views {
		w := must(api.Watch(t.Context(), metav1.ListOptions{ResourceVersion: "1"}))(t)
		clients.Go(func() {
			defer w.Stop()
			views[i] = map[string]string{}
			for {
				event, err := w.Next()
				if err != nil {
					return
				}
				views[i][event.Object.(*testv1.Carp).Name] = event.Object.(*testv1.Carp).ResourceVersion
				if event.Type == watch.Deleted {
					delete(views[i], event.Object.(*testv1.Carp).Name)
				}
			}
		})
	}
	for i := range 4 {
		writers.Go(func() {
			for n := range 300 {
				name := fmt.Sprint("a/", (n*7+i)%20)
				// Other goroutines write too: each of these calls may fail.
				_, _ = api.Create(carp(name))
				_, _ = api.Update(on(fmt.Sprint(i, n), carp(name)))
				_, _, err := list(t, api.Source(), metav1.ListOptions{Limit: 5})
				if err != nil {
					t.Error(err)
				}
				if n%3 == 0 {
					_, _ = api.Delete(key(name))
					api.Compact()
				}
			}
		})
	}
	writers.Wait()
	api.CloseWatches()
	clients.Wait()
	want := map[string]string{}
	for _, obj := range api.Objects() {
		want[obj.Name] = obj.ResourceVersion
	}
	for _, view := range views {
		if diff := cmp.Diff(want, view); diff != "" {
			t.Error(diff)
		}
	}
}
