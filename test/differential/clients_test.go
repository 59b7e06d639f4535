package differential

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// TestClients: the clients that controllers have see the same of both servers.
func TestClients(t *testing.T) {
	for name, run := range map[string]func(*testing.T, *rest.Config) []string{
		"dynamic":            writeDynamic,
		"controller-runtime": writeControllerRuntime,
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string][]string{}
			for _, s := range sides(t) {
				got[s.name] = run(t, s.config)
			}
			for _, name := range []string{"typed", "unstructured"} {
				if diff := cmp.Diff(got["real"], got[name]); diff != "" {
					t.Errorf("%s (-real +cachetest):\n%s", name, diff)
				}
			}
		})
	}
}

// outcome is an object, as far as it does not depend on the server, or the
// reason of an error.
func outcome(obj metav1.Object, rest any, err error) string {
	if err != nil {
		return fmt.Sprint("error ", apierrors.ReasonForError(err))
	}
	return fmt.Sprint(obj.GetName(), " generation ", obj.GetGeneration(), " labels ", obj.GetLabels(),
		" finalizers ", obj.GetFinalizers(), " deleted ", obj.GetDeletionTimestamp() != nil, " ", rest)
}

func writeDynamic(t *testing.T, config *rest.Config) []string {
	c, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	things := c.Resource(thing).Namespace("d")
	var got []string
	see := func(obj *unstructured.Unstructured, err error) *unstructured.Unstructured {
		if err != nil {
			got = append(got, outcome(nil, nil, err))
			return nil
		}
		got = append(got, outcome(obj, fmt.Sprint(obj.Object["spec"], obj.Object["status"]), nil))
		return obj
	}
	ctx := t.Context()
	one := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "example.com/v1", "kind": "Thing", "metadata": map[string]any{"name": "one"},
		"spec": map[string]any{"size": int64(1)}, "status": map[string]any{"ready": int64(1)},
	}}
	created := see(things.Create(ctx, one, metav1.CreateOptions{}))
	see(things.Update(ctx, one, metav1.UpdateOptions{}))
	created.Object["status"] = map[string]any{"ready": int64(2)}
	see(things.UpdateStatus(ctx, created, metav1.UpdateOptions{}))
	see(things.UpdateStatus(ctx, created, metav1.UpdateOptions{}))
	see(things.Apply(ctx, "one", one, metav1.ApplyOptions{FieldManager: "me"}))
	see(things.Patch(ctx, "one", types.MergePatchType, []byte(`{"metadata":{"finalizers":["example.com/x"]}}`), metav1.PatchOptions{}))
	got = append(got, fmt.Sprint(things.Delete(ctx, "one", metav1.DeleteOptions{})))
	see(things.Patch(ctx, "one", types.JSONPatchType, []byte(`[{"op":"remove","path":"/metadata/finalizers"}]`), metav1.PatchOptions{}))
	see(things.Get(ctx, "one", metav1.GetOptions{}))
	got = append(got, fmt.Sprint(things.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})))
	return got
}

func writeControllerRuntime(t *testing.T, config *rest.Config) []string {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(thing.GroupVersion(), &Thing{})
	metav1.AddToGroupVersion(scheme, thing.GroupVersion())
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(thing.GroupVersion().WithKind("Thing"), meta.RESTScopeNamespace)
	c, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	one := &Thing{ObjectMeta: metav1.ObjectMeta{Namespace: "r", Name: "one"}, Spec: &ThingSpec{Color: "red"}}
	do := func(write func(context.Context) error) {
		err := write(t.Context())
		got = append(got, outcome(one, fmt.Sprint(*one.Spec, one.Status), err))
	}
	do(func(ctx context.Context) error { return c.Create(ctx, one) })
	stale := one.DeepCopyObject().(*Thing)
	one.Spec.Color, one.Finalizers = "blue", []string{"example.com/x"}
	do(func(ctx context.Context) error { return c.Update(ctx, one) })
	do(func(ctx context.Context) error { return c.Update(ctx, stale) })
	before := one.DeepCopyObject().(*Thing)
	one.Status = &ThingStatus{Phase: "up"}
	do(func(ctx context.Context) error { return c.Status().Patch(ctx, one, client.MergeFrom(before)) })
	one.Status = nil
	do(func(ctx context.Context) error { return c.Status().Update(ctx, one) })
	do(func(ctx context.Context) error { return c.Delete(ctx, one) })
	do(func(ctx context.Context) error { return c.Get(ctx, client.ObjectKeyFromObject(one), one) })
	before = one.DeepCopyObject().(*Thing)
	one.Finalizers = nil
	do(func(ctx context.Context) error {
		return c.Patch(ctx, one, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	})
	do(func(ctx context.Context) error { return c.Get(ctx, client.ObjectKeyFromObject(one), one) })
	return got
}
