package controller

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// Result says what follows a reconcile without an error. The zero value means that the key waits for its
// next change.
type Result struct {
	// After is the time until the key is reconciled again. If a change leads to a reconcile earlier, the
	// result of that reconcile counts instead. Zero means not at all. A negative value is an error. After
	// is ignored if the reconcile returns an error.
	After time.Duration

	writes []write
	// nilWrite is set if Wrote or Deleted was called without an informer or an object.
	nilWrite bool
}

// check returns an error if the result of a reconcile without an error is wrong.
func (r *Result) check() error {
	switch {
	case r.After < 0:
		return fmt.Errorf("Result.After is %v; use zero for no other reconcile", r.After)
	case r.nilWrite:
		return errors.New("Result.Wrote or Deleted was called with nil; call it after a write without an error, with the informer and the object")
	}
	return nil
}

// Wrote notes an object as the server returned it from a create, an update or a patch, and the informer
// that follows it. It is for writes that are not noted automatically; see Writes:
//
//	var result controller.Result
//	updated, err := client.UpdateStatus(ctx, order, metav1.UpdateOptions{})
//	if err != nil {
//		return result, err
//	}
//	result.Wrote(orders, updated)
//	return result, nil
//
// The next reconcile of this key, for whatever reason, starts when the store of the informer has the write.
// So it reads its own writes (KEP-5647), and does not, for example, create an object twice. No worker waits
// meanwhile, and other keys are not held up; a reconcile that calls Informer.WaitForWrite would occupy its
// worker. The note also counts if the reconcile returns an error. After a minute, the key is reconciled
// without the write, which is logged.
//
// The informer must follow the object. If a selector leaves the object out, only bookmarks tell the
// informer that the write is in the past. If the informer or the object is nil, a reconcile without an
// error fails.
func (r *Result) Wrote(informer WriteWaiter, obj metav1.Object) {
	r.note(write{informer: informer, obj: obj})
}

// Deleted notes an object, as it was read, whose deletion the server has accepted. The next reconcile of
// the key starts when the store has the deletion; see Informer.WaitForDeletion.
func (r *Result) Deleted(informer WriteWaiter, obj metav1.Object) {
	r.note(write{informer: informer, obj: obj, deletion: true})
}

func (r *Result) note(w write) {
	if nothing.Is(w.informer) || nothing.Is(w.obj) {
		r.nilWrite = true
		return
	}
	r.writes = append(r.writes, w)
}
