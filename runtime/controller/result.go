package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// writeTimeout limits how long a key waits for its own writes. A store without events learns
// the latest resourceVersion from bookmarks, which come about once a minute.
const writeTimeout = time.Minute

// Result says what follows a reconcile without an error. The zero value is that the key
// waits for the next change.
type Result struct {
	// After is when the key is reconciled again, unless a change comes before: then it is
	// the result of that reconcile that counts. It is ignored if there is an error. Zero is
	// not at all; a negative one is an error.
	After time.Duration

	writes []write
	// nilWrite is that Wrote was called without an informer or an object.
	nilWrite bool
}

// check returns what is wrong with the result of a reconcile without an error.
func (r *Result) check() error {
	switch {
	case r.After < 0:
		return fmt.Errorf("Result.After is %v; use zero for no other reconcile", r.After)
	case r.nilWrite:
		return errors.New("Result.Wrote was called with nil; call it after a write without an error, with the informer and what the server has returned")
	}
	return nil
}

// write is an object that was written, as the server returned it.
type write struct {
	informer WriteWaiter
	obj      metav1.Object
}

// WriteWaiter waits until a store has what was written, as cache.Informer does.
type WriteWaiter interface {
	WaitForWrite(ctx context.Context, obj metav1.Object) error
}

// Wrote notes an object as the server has returned it from a create, an update or a patch,
// and the informer that follows it:
//
//	var result controller.Result
//	updated, err := client.UpdateStatus(ctx, order, metav1.UpdateOptions{})
//	if err != nil {
//		return result, err
//	}
//	result.Wrote(orders, updated)
//	return result, nil
//
// The next reconcile of this key, for whatever reason, starts when the store of the
// informer has that write, so that it reads its own writes (KEP-5647) and does not, say,
// create an object twice. No worker waits meanwhile, and other keys are not held up:
// the worker of a reconcile that calls Informer.WaitForWrite is lost to
// them. It also counts if the reconcile returns an error. After a minute, the key is
// reconciled without the write, which is logged.
//
// The informer must follow the object: with a selector that leaves it out, only bookmarks
// tell the informer that the write is in the past. If one of the two is nil, a reconcile
// without an error becomes one with an error.
func (r *Result) Wrote(informer WriteWaiter, obj metav1.Object) {
	if nothing.Is(informer) || nothing.Is(obj) {
		r.nilWrite = true
		return
	}
	r.writes = append(r.writes, write{informer, obj})
}

// awaitWrites blocks until the stores have all writes, at most for writeTimeout.
func awaitWrites(ctx context.Context, writes []write) {
	limited, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	for _, w := range writes {
		if err := w.informer.WaitForWrite(limited, w.obj); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Error(err, "Reconciling without own write")
		}
	}
}
