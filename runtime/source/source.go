package source

import (
	"context"
	"errors"
	"fmt"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// Source is where an informer's objects come from.
type Source[T any] = cache.Source[T]

var (
	// ErrTooLarge is the cause of the *cache.ObjectError for an object, or a
	// frame of a watch, of more bytes than ClientOptions.MaxObjectBytes: it is
	// read past, and what follows is read. It ends the list or stream if one
	// string is that large, or the metadata of a list, and if a length comes with
	// what is no frame.
	ErrTooLarge = errors.New("larger than the limit")

	// ErrStopped is returned by Next of a watcher that was stopped.
	ErrStopped = errors.New("watch: stopped")

	// ErrTable is returned for an answer in the form of a Table of the group
	// meta.k8s.io, which has rows instead of objects.
	ErrTable = errors.New("is a meta.k8s.io Table, not an object")

	// ErrNotAList is returned for an answer to a list that is not one.
	ErrNotAList = errors.New("answer is not a list")
)

// DefaultMaxObjectBytes is the default of ClientOptions.MaxObjectBytes: 16 MiB.
// API servers keep objects of 1.5 to 3 MiB at most.
const DefaultMaxObjectBytes = 16 << 20

// maxErrorBytes is how much is read of an answer that is no success. It is far
// more than a status has.
const maxErrorBytes = 1 << 20

// tooLarge is ErrTooLarge with the limit that was exceeded.
func tooLarge(limit int64) error { return fmt.Errorf("%w of %d bytes", ErrTooLarge, limit) }

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

// connection tells what goes wrong with a connection from what comes over it.
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

// undecodable is cache.ErrUndecodable because of err, or what the connection said if
// that is the reason.
func undecodable(err error) error {
	var read readError
	switch {
	case errors.As(err, &read):
		return read.error
	case errors.Is(err, io.ErrUnexpectedEOF):
		return err
	}
	return fmt.Errorf("%w: %w", cache.ErrUndecodable, err)
}

// listMeta copies what a page says about itself.
func listMeta(list metav1.ListInterface) metav1.ListMeta {
	return metav1.ListMeta{
		ResourceVersion:    list.GetResourceVersion(),
		Continue:           list.GetContinue(),
		RemainingItemCount: list.GetRemainingItemCount(),
	}
}
