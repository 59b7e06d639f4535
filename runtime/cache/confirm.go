package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/lookup"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// Confirm reads an object from the server by its name, before an action that can't be undone. It returns
// the server's response to this call, and whether the object exists. It does not use the store, so the
// informer need not be in sync, and Options.Transform is not applied. An object that the source's selectors
// leave out does not exist here.
//
// Confirm needs the permission to list. After any error, for example for an object that can't be decoded,
// nothing is known. Confirm fails for an object whose namespace or name the informer does not follow.
func (i *Informer[T]) Confirm(ctx context.Context, key types.NamespacedName) (obj T, exists bool, err error) {
	found, err := i.confirm(ctx, key)
	if err != nil || found == nil {
		return obj, false, err
	}
	obj, is := found.(T)
	if !is {
		err = i.errorf("object %q: is a %T, not a %v", objectkey.String(key), found, reflect.TypeFor[T]())
	}
	return obj, is, err
}

// confirm returns the server's object of a key, or nil if there is none.
func (e *engine) confirm(ctx context.Context, key types.NamespacedName) (any, error) {
	source, err := e.scopes.sourceOf(key, e.source)
	if err != nil {
		return nil, e.errorf("%w", err)
	}
	found, err := e.read(decoding.With(ctx, decoding.Request{Unselected: true}), source, key)
	if err != nil {
		return nil, e.errorf("object %q: %w", objectkey.String(key), err)
	}
	return found, nil
}

// read returns a source's object of a key, or nil if there is none.
func (e *engine) read(ctx context.Context, source Objects, key types.NamespacedName) (any, error) {
	options := lookup.Options(key)
	if e.about.Named { // the source has no other object
		options = metav1.ListOptions{}
	}
	found := named{key: key}
	page, err := listInTime(ctx, source, options, found.add)
	if err = cmp.Or(err, found.check(page)); err != nil {
		return nil, err
	}
	return found.obj, nil
}

// readLive is get for an object that the informer does not know yet. It asks the server for the object, and
// applies the transform, so that no read waits for a watch.
func (e *engine) readLive(ctx context.Context, key types.NamespacedName, why error) (obj any, exists bool, err error) {
	if key.Name == "" || closed(e.stopped) {
		return nil, false, e.errorf("%w", why)
	}
	e.mu.Lock()
	transform, options := oneAtATime(e.transforming, e.options.Transform), e.decoding()
	e.mu.Unlock()
	obj, err = e.read(decoding.With(ctx, decoding.Request{Options: options}), e.about.In(key), key)
	switch {
	case err != nil:
		return nil, false, e.errorf("%w: %w", why, err)
	case obj != nil && transform != nil:
		obj, err = transformed(transform, obj)
	}
	if err != nil {
		return nil, false, e.errorf("object %q: %w: transform: %w", objectkey.String(key), failure.ErrLeftOut, err)
	}
	return obj, obj != nil, nil
}

// named collects the object of one name from a list. It ignores other objects, which come from servers that
// ignore the selector.
type named struct {
	key types.NamespacedName
	// obj is nil if the list does not have the object. broken is set if the object can't be decoded.
	obj    any
	broken error
}

// add handles an item of the list.
func (n *named) add(obj any, err error) {
	if err == nil {
		if key, keyErr := KeyOf(obj); keyErr == nil && key == n.key {
			n.obj = obj
		}
		return
	}
	var object *failure.ObjectError
	if !errors.As(err, &object) || object.Object == "" || objectkey.Parse(object.Object) == n.key {
		n.broken = err
	}
}

// check returns an error if the list does not show whether the object exists.
func (n *named) check(page metav1.ListMeta) error {
	switch {
	case n.obj != nil:
		return nil
	case n.broken == nil && page.Continue != "":
		return fmt.Errorf("%w: server ignores the selector of its name, and has sent only a part of the list", failure.ErrUnknown)
	}
	return n.broken
}
