// Package samplecontroller_test drives the generated informers and listers as a
// controller would, over the fake clientset that client-gen wrote.
package samplecontroller_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/tools/cache"

	informers "github.com/informer-gen/informer-gen/testdata/samplecontroller/generated/informers/externalversions"
	foosv1alpha1 "github.com/informer-gen/informer-gen/testdata/samplecontroller/generated/informers/externalversions/samplecontroller/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/apis/samplecontroller/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/clientset/versioned/fake"
)

func foo(namespace, name string) *v1alpha1.Foo {
	return &v1alpha1.Foo{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

// Unit tests of controllers make informers without a clientset, and fill their stores.
func TestFactoryWithoutClientset(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		factory := informers.NewSharedInformerFactory(nil, 0)
		foos := factory.Samplecontroller().V1alpha1().Foos()
		stored := foo("a", "first")
		stored.Spec.DeploymentName = "d"
		if err := foos.Informer().GetStore().Add(stored); err != nil {
			t.Fatal(err)
		}
		if got, err := foos.Lister().Foos("a").Get("first"); err != nil || got != stored {
			t.Errorf("lister: %v, %v", got, err)
		}
		if found, err := foos.Lister().ByDeploymentName("d"); err != nil || len(found) != 1 {
			t.Errorf("by index: %v, %v", found, err)
		}
		if got := factory.Samplecontroller().V1alpha1().FooClasses().Informer().GetStore().ListKeys(); len(got) != 0 {
			t.Errorf("classes: %v", got)
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		factory.StartWithContext(ctx)
		if err := factory.WaitForSync(ctx); err == nil || !strings.Contains(err.Error(), "clientset: is nil") {
			t.Errorf("sync: got %v, want the reason", err)
		}
		cancel()
		factory.Shutdown()
	})
}

func TestFactory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client := fake.NewSimpleClientset(foo("a", "first"), &v1alpha1.FooClass{ObjectMeta: metav1.ObjectMeta{Name: "small"}})
		factory := informers.NewSharedInformerFactoryWithOptions(client, 0)
		defer factory.Shutdown()
		defer cancel()

		foos := factory.Samplecontroller().V1alpha1().Foos()
		classes := factory.Samplecontroller().V1alpha1().FooClasses()
		classes.Informer()
		var events []string
		_, err := foos.TypedInformer().AddTypedEventHandler(foosv1alpha1.FooHandlerFuncs{
			AddFunc:    func(obj *v1alpha1.Foo) { events = append(events, "add "+obj.Name) },
			UpdateFunc: func(_, obj *v1alpha1.Foo) { events = append(events, "update "+obj.Name) },
			DeleteFunc: func(obj foosv1alpha1.DeletedFoo) { events = append(events, "delete") },
		})
		if err != nil {
			t.Fatal(err)
		}
		factory.StartWithContext(ctx)
		if err := factory.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()

		api := client.SamplecontrollerV1alpha1().Foos("b")
		if _, err := api.Create(ctx, foo("b", "second"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		changed := foo("b", "second")
		changed.Spec.DeploymentName = "d"
		if _, err := api.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := client.SamplecontrollerV1alpha1().Foos("a").Delete(ctx, "first", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"add first", "add second", "update second", "delete"}, events); diff != "" {
			t.Error(diff)
		}

		got, err := foos.Lister().Foos("b").Get("second")
		if err != nil || got.Spec.DeploymentName != "d" {
			t.Errorf("lister: %v, %v", got, err)
		}
		if found, err := foos.Lister().ByDeploymentName(got.Spec.DeploymentName); err != nil || len(found) != 1 || found[0] != got {
			t.Errorf("by index: %v, %v", found, err)
		}
		if list, err := foos.Lister().List(labels.Everything()); err != nil || len(list) != 1 {
			t.Errorf("lister: %v, %v", list, err)
		}
		if _, err := classes.Lister().Get("small"); err != nil {
			t.Error(err)
		}
		_, err = classes.Lister().Get("large")
		if want := `fooclass.samplecontroller.example.com "large" not found`; !apierrors.IsNotFound(err) || err.Error() != want {
			t.Errorf("got error %v, want %s", err, want)
		}

		generic, err := factory.ForResource(v1alpha1.SchemeGroupVersion.WithResource("fooclasses"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := generic.Lister().Get("small"); err != nil {
			t.Error(err)
		}
		if _, err := factory.ForResource(v1alpha1.SchemeGroupVersion.WithResource("bars")); err == nil {
			t.Error("informer of an unknown resource: no error")
		}
	})
}

func TestConstructors(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client := fake.NewSimpleClientset(foo("a", "first"), foo("b", "second"))
		informer := foosv1alpha1.NewTypedFilteredFooInformer(client, "b", 0, foosv1alpha1.FooIndexers{
			"first letter": func(obj *v1alpha1.Foo) ([]string, error) { return []string{obj.Name[:1]}, nil },
		}, nil)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			informer.RunWithContext(ctx)
		}()
		if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
			t.Fatal("not in sync")
		}
		if keys := informer.GetIndexer().ListKeys(); !slices.Equal(keys, []string{"b/second"}) {
			t.Errorf("keys: %v", keys)
		}
		if found, err := foosv1alpha1.ToFooIndexInformer(informer).GetIndexer().ByIndex("first letter", "s"); err != nil || len(found) != 1 {
			t.Errorf("index: %v, %v", found, err)
		}
		cancel()
		<-ended
	})
}
