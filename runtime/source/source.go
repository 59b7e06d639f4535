package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

var (
	// ErrTooLarge is the cause of the *failure.ObjectError for an object, or a
	// watch event, of more bytes than ClientOptions.MaxObjectBytes: it is skipped,
	// and the others follow. It ends the list or stream if one number is that large,
	// or the metadata of a list, or if what follows a length in protobuf is no watch
	// event.
	ErrTooLarge = errors.New("larger than the limit")

	// Callers can't do anything about what follows.

	// errStopped is returned by Next of a watcher that was stopped.
	errStopped = errors.New("watch: stopped")

	// errTable is returned for a response in the form of a Table of the group
	// meta.k8s.io, which has rows instead of objects.
	errTable = errors.New("is a meta.k8s.io Table, not an object")

	// errNotAList is returned for a response to a list request that is no list, for
	// example the page of a proxy.
	errNotAList = errors.New("response is not a list")
)

// defaultMaxObjectBytes is the default of ClientOptions.MaxObjectBytes: 16 MiB.
// API servers store objects of at most 1.5 to 3 MiB.
const defaultMaxObjectBytes = 16 << 20

// maxErrorBytes limits how much is read of a non-2xx response. It is far more than a
// status needs.
const maxErrorBytes = 1 << 20

// tooLarge is ErrTooLarge with the limit that was exceeded.
func tooLarge(limit int64) error { return fmt.Errorf("%w of %d bytes", ErrTooLarge, limit) }

// ended returns why ctx ended if it did, otherwise err: the error of a call whose
// context has ended is a consequence of that, and often an obscure one.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// connection marks errors of a connection, to tell them from errors of its content.
type connection struct{ io.ReadCloser }

func (c connection) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	if err != nil && err != io.EOF {
		err = readError{err}
	}
	return n, err
}

// readError is an error of a connection.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// verdict marks errors of lists that were decoded, and refused by the informer.
type verdict struct{ error }

// undecodable is failure.ErrUndecodable because of err, or the error of the
// connection or of the server if that is the reason.
func undecodable(err error) error {
	var read readError
	var status apierrors.APIStatus
	var judged verdict
	switch {
	case errors.As(err, &judged):
		return judged.error
	case errors.As(err, &status):
		return err
	case errors.As(err, &read):
		return read.error
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return fmt.Errorf("%w: %w", failure.ErrUndecodable, err)
}

// listMeta copies the metadata of a page.
func listMeta(list metav1.ListInterface) metav1.ListMeta {
	return metav1.ListMeta{
		ResourceVersion:    list.GetResourceVersion(),
		Continue:           list.GetContinue(),
		RemainingItemCount: list.GetRemainingItemCount(),
	}
}

// described has the method Describe of a source.
type described struct{ info cache.SourceInfo }

func (d described) Describe() cache.SourceInfo { return d.info }
