package controller_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/controller"
)

// act is what a reconcile does to one object.
type act struct {
	*ownWrites
	writer
	isPlain            bool
	reconciled, object key
	random             *rand.Rand
	notes              notes
}

func (a *act) do(ctx context.Context) error {
	switch a.random.IntN(10) {
	case 0, 1:
		return a.write(ctx, func(ctx context.Context) (configMap, error) {
			return a.Create(ctx, a.newObject(), metav1.CreateOptions{})
		})
	case 2:
		obj, exists := a.informer.Store().Get(a.object)
		if !exists {
			return nil
		}
		return a.update(ctx, obj.DeepCopy())
	case 3:
		obj, err := a.Get(ctx, a.object.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		return a.update(ctx, obj)
	case 4, 5:
		return a.patch(ctx, fmt.Sprintf(`{"metadata":{"labels":{"transform":%q}},"data":{"stamp":%q}}`, a.label(), a.stamp()))
	case 6:
		return a.patch(ctx, `{"metadata":{"finalizers":null}}`)
	case 7:
		return a.delete(ctx)
	case 8:
		if err := a.delete(ctx); err != nil {
			return err
		}
		return a.write(ctx, func(ctx context.Context) (configMap, error) {
			return a.Create(ctx, a.newObject(), metav1.CreateOptions{})
		})
	default:
		return a.confirm(ctx)
	}
}

// stamp returns a value that no other state of an object has.
func (s *ownWrites) stamp() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stamps++
	return fmt.Sprint(s.stamps)
}

func (a *act) label() string {
	return []string{"", "", "", "refuse", "blank", "early"}[a.random.IntN(6)]
}

func (a *act) newObject() configMap {
	obj := newConfigMap(a.object.Name, map[string]string{"transform": a.label()})
	obj.Namespace, obj.Data = a.object.Namespace, map[string]string{"stamp": a.stamp()}
	if a.random.IntN(3) == 0 {
		obj.Finalizers = []string{"example.com/mine"}
	}
	return obj
}

func (a *act) update(ctx context.Context, obj configMap) error {
	obj.Labels, obj.Data = map[string]string{"transform": a.label()}, map[string]string{"stamp": a.stamp()}
	return a.write(ctx, func(ctx context.Context) (configMap, error) { return a.Update(ctx, obj, metav1.UpdateOptions{}) })
}

func (a *act) patch(ctx context.Context, patch string) error {
	return a.write(ctx, func(ctx context.Context) (configMap, error) {
		return a.Patch(ctx, a.object.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	})
}

// write creates, updates or patches an object.
func (a *act) write(ctx context.Context, do func(context.Context) (configMap, error)) error {
	return a.call(ctx, func(ctx context.Context) error {
		obj, err := do(ctx)
		if err != nil {
			return err
		}
		released := obj.DeletionTimestamp != nil && len(obj.Finalizers) == 0
		if got := stateOf(obj, nil); !released && !slices.Contains(a.since(a.object, 0), got) {
			a.errorf("%v: answer %v, which %v never was", a.reconciled, got, a.object)
		}
		if a.isPlain {
			a.notes.Wrote(a.informer, obj)
		}
		return nil
	})
}

func (a *act) delete(ctx context.Context) error {
	if !a.isPlain {
		return a.call(ctx, func(ctx context.Context) error { return a.Delete(ctx, a.object.Name, metav1.DeleteOptions{}) })
	}
	obj, err := a.Get(ctx, a.object.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	return a.call(ctx, func(ctx context.Context) error {
		err := a.Delete(ctx, a.object.Name, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &obj.UID}})
		if err == nil {
			a.notes.Deleted(a.informer, obj)
		}
		return err
	})
}

// call makes a call of a client. A write without an answer is noted for clients of runtime/clients only.
func (a *act) call(ctx context.Context, do func(context.Context) error) error {
	c := &call{object: a.object}
	err := do(context.WithValue(ctx, callKey{}, c))
	if c.made == nil {
		a.logf("%v: wrote nothing of %v: %v", a.reconciled, a.object, err)
		return err
	}
	a.logf("%v: %s of %v makes it %v, plain client: %v, error: %v", a.reconciled, c.made.call, a.object, a.since(a.object, c.made.state)[0], a.isPlain, err)
	if err == nil || !a.isPlain {
		a.mu.Lock()
		defer a.mu.Unlock()
		r := a.reconciles[a.reconciled]
		r.writes = append(r.writes, c.made)
	}
	return err
}

func (a *act) confirm(ctx context.Context) error {
	before := a.now(a.object) - 1
	obj, exists, err := a.informer.Confirm(ctx, a.object)
	if err != nil {
		return err
	}
	got := state{}
	if exists {
		got = stateOf(obj, nil)
	}
	if had := a.since(a.object, before); !slices.Contains(had, got) {
		a.errorf("%v: confirmed %v of %v, and the server had %v", a.reconciled, got, a.object, had)
	}
	return nil
}

// writer has the common methods of the clients of runtime/clients and of client-go.
type writer interface {
	Get(ctx context.Context, name string, options metav1.GetOptions) (configMap, error)
	Create(ctx context.Context, obj configMap, options metav1.CreateOptions) (configMap, error)
	Update(ctx context.Context, obj configMap, options metav1.UpdateOptions) (configMap, error)
	Patch(ctx context.Context, name string, kind types.PatchType, data []byte, options metav1.PatchOptions, subresources ...string) (configMap, error)
	Delete(ctx context.Context, name string, options metav1.DeleteOptions) error
}

// notes note the writes of clients that are not of runtime/clients, as controller.Result does.
type notes interface {
	Wrote(informer controller.WriteWaiter, obj metav1.Object)
	Deleted(informer controller.WriteWaiter, obj metav1.Object)
}

// noter notes them for a key of Writes.
type noter struct {
	*controller.Writes
	key
}

func (n noter) Wrote(informer controller.WriteWaiter, obj metav1.Object) {
	n.Writes.Wrote(n.key, informer, obj)
}

func (n noter) Deleted(informer controller.WriteWaiter, obj metav1.Object) {
	n.Writes.Deleted(n.key, informer, obj)
}
