package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// kind is a resource that a workload writes.
type kind struct {
	schema.GroupVersionKind
	resource   string
	namespaced bool
	// content returns a valid object without its metadata; n varies it.
	content func(n int) map[string]any
}

func newKind(gvk schema.GroupVersionKind, resource string, namespaced bool, content func(n int) map[string]any) kind {
	return kind{GroupVersionKind: gvk, resource: resource, namespaced: namespaced, content: content}
}

func (k kind) gvr() schema.GroupVersionResource {
	return k.GroupVersion().WithResource(k.resource)
}

func (k kind) String() string { return k.resource + "." + k.Version + "." + k.Group }

// shardLabel is a label that every object has and every update may change, so
// that an index by it has something to follow.
const shardLabel = "e2e.informer-gen.dev/shard"

func (k kind) object(namespace, name string, n int) *unstructured.Unstructured {
	obj := &unstructured.Unstructured{Object: k.content(n)}
	obj.SetGroupVersionKind(k.GroupVersionKind)
	if k.namespaced {
		obj.SetNamespace(namespace)
	}
	obj.SetName(name)
	obj.SetLabels(map[string]string{shardLabel: fmt.Sprint(n % 17)})
	return obj
}

// client returns the client of the kind: for a cluster-scoped resource or, otherwise, for a namespace.
func (k kind) client(c dynamic.Interface, namespace string) dynamic.ResourceInterface {
	if !k.namespaced {
		return c.Resource(k.gvr())
	}
	return c.Resource(k.gvr()).Namespace(namespace)
}

// workload creates, updates and deletes objects of several resources, with several writers at a time. Each
// writer has its own objects.
type workload struct {
	client  dynamic.Interface
	kinds   []kind
	prefix  string // of every name and namespace
	objects int    // how many are created, by all writers together
	writers int
}

// run returns when all is written. Of ten writes about five create, three
// update and two delete. The same workload makes the same writes, in an order
// that differs from run to run.
func (w workload) run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	for writer := range w.writers {
		wg.Go(func() {
			if err := w.write(ctx, writer); err != nil {
				cancel(fmt.Errorf("writer %d: %w", writer, err))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

func (w workload) write(ctx context.Context, writer int) error {
	random := rand.New(rand.NewPCG(1, uint64(writer)))
	type live struct {
		kind
		object *unstructured.Unstructured
	}
	var alive []live
	for created := 0; created < w.objects/w.writers; {
		switch choice := random.IntN(10); {
		case choice < 5 || len(alive) == 0:
			k := w.kinds[random.IntN(len(w.kinds))]
			namespace := fmt.Sprintf("%s-%d", w.prefix, random.IntN(5))
			name := fmt.Sprintf("%s-%d-%d", w.prefix, writer, created)
			obj, err := k.client(w.client, namespace).Create(ctx, k.object(namespace, name, random.IntN(1000)), metav1.CreateOptions{})
			if err != nil {
				return err
			}
			alive = append(alive, live{k, obj})
			created++
		case choice < 8:
			a := &alive[random.IntN(len(alive))]
			next := a.kind.object(a.object.GetNamespace(), a.object.GetName(), random.IntN(1000))
			next.SetResourceVersion(a.object.GetResourceVersion())
			obj, err := a.client(w.client, next.GetNamespace()).Update(ctx, next, metav1.UpdateOptions{})
			if err != nil {
				return err
			}
			a.object = obj
		default:
			i := random.IntN(len(alive))
			a := alive[i]
			if err := a.client(w.client, a.object.GetNamespace()).Delete(ctx, a.object.GetName(), metav1.DeleteOptions{}); err != nil {
				return err
			}
			alive[i] = alive[len(alive)-1]
			alive = alive[:len(alive)-1]
		}
	}
	return nil
}

// finish creates the object named last of every kind.
func (w workload) finish(ctx context.Context) error {
	for _, k := range w.kinds {
		namespace := w.prefix + "-0"
		if _, err := k.client(w.client, namespace).Create(ctx, k.object(namespace, lastName, 0), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// wipe deletes every object of the kinds.
func wipe(ctx context.Context, client dynamic.Interface, kinds []kind) error {
	for _, k := range kinds {
		list, err := client.Resource(k.gvr()).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		namespaces := map[string]bool{}
		for _, obj := range list.Items {
			namespaces[obj.GetNamespace()] = true
		}
		for namespace := range namespaces {
			var err error
			for range 10 { // a busy server gives up when it has deleted some
				if err = k.client(client, namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err == nil {
					break
				}
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
