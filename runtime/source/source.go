package source

import (
	"context"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// Source is where an informer's objects come from.
type Source[T any] = cache.Source[T]

var (
	// ErrTooLarge is returned for an object, or a frame of a watch, of more
	// than MaxObjectBytes. The list or stream that it is in cannot go on.
	ErrTooLarge = errors.New("larger than the limit")

	// ErrStopped is returned by Next of a watcher that was stopped.
	ErrStopped = errors.New("watch: stopped")

	// ErrTable is returned for an answer in the form of a Table of the group
	// meta.k8s.io, which has rows instead of objects.
	ErrTable = errors.New("is a meta.k8s.io Table, not an object")

	// ErrNotAList is returned for an answer to a list that is not one.
	ErrNotAList = errors.New("answer is not a list")
)

// MaxObjectBytes is the largest object, or frame of a watch, that is read: 64
// MiB. API servers take objects of a few MiB at most. A length that exceeds
// the limit is refused before anything is allocated for it.
const MaxObjectBytes = 64 << 20

// ended returns why ctx ended if it did, else err: what a call reports after
// its context has ended is a consequence, and often an obscure one.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// listMeta copies what a page says about itself.
func listMeta(list metav1.ListInterface) metav1.ListMeta {
	return metav1.ListMeta{
		ResourceVersion:    list.GetResourceVersion(),
		Continue:           list.GetContinue(),
		RemainingItemCount: list.GetRemainingItemCount(),
	}
}
