package controller

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// Result says what follows a reconcile without an error. The zero value is that the key
// waits for the next change.
type Result struct {
	// After is when the key is reconciled again, unless a change comes before: then it is
	// the result of that reconcile that counts. It is ignored if there is an error. Zero is
	// not at all; a negative one is an error.
	After time.Duration

	writes []write
	// nilWrite is that Wrote or Deleted was called without an informer or an object.
	nilWrite bool
}

// check returns what is wrong with the result of a reconcile without an error.
func (r *Result) check() error {
	switch {
	case r.After < 0:
		return fmt.Errorf("Result.After is %v; use zero for no other reconcile", r.After)
	case r.nilWrite:
		return errors.New("Result.Wrote or Deleted was called with nil; call it after a write without an error, with the informer and the object")
	}
	return nil
}

// Wrote notes an object as the server has returned it from a create, an update or a patch,
// and the informer that follows it, for writes that Writes says are not noted by themselves:
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
	r.note(write{informer: informer, obj: obj})
}

// Deleted notes an object, as it was read, whose deletion the server has accepted. The next
// reconcile of the key starts when the store knows of it, as WaitForDeletion says.
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
