package cache

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// class is what an error of a list or watch means for what to do next.
type class uint8

const (
	// other is any error that is not one of the following.
	other class = iota
	// expired: the server has forgotten the resourceVersion (410).
	expired
	// tooLarge: the server has not seen the resourceVersion yet.
	tooLarge
	// busy: the server asks to come back (429), or nobody listens at its
	// address. What is known is still good.
	busy
	// broken: the connection was lost. What is known is still good.
	broken
	// silent: the stream was open, but nothing came.
	silent
)

func classify(err error) class {
	switch {
	case err == nil:
		return other
	case isExpired(err):
		return expired
	case isTooLarge(err):
		return tooLarge
	case apierrors.IsTooManyRequests(err) || utilnet.IsConnectionRefused(err):
		return busy
	case errors.Is(err, ErrBookmarkMissing) || errors.Is(err, ErrWatchIdle):
		return silent
	case isBroken(err):
		return broken
	default:
		return other
	}
}

// isExpired is true for both reasons that a 410 can have.
func isExpired(err error) bool {
	return apierrors.IsResourceExpired(err) || apierrors.IsGone(err)
}

// tooLargeMessage is how servers before 1.18.6 name the cause.
const tooLargeMessage = "Too large resource version"

func isTooLarge(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	var status apierrors.APIStatus
	if !apierrors.IsTimeout(err) || !errors.As(err, &status) {
		return false
	}
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			if cause.Message == tooLargeMessage {
				return true
			}
		}
	}
	return strings.Contains(status.Status().Message, tooLargeMessage)
}

// isStatus is true for an answer of the API server.
func isStatus(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

func isBroken(err error) bool {
	if isStatus(err) {
		return false
	}
	return errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) ||
		utilnet.IsProbableEOF(err) ||
		utilnet.IsTimeout(err) ||
		utilnet.IsConnectionReset(err) ||
		utilnet.IsHTTP2ConnectionLost(err)
}

// suggestedDelay is how long the server asks to wait (Retry-After).
func suggestedDelay(err error) time.Duration {
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		return time.Duration(seconds) * time.Second
	}
	return 0
}

// causeOf returns why ctx has ended, if it has, and err otherwise: what a
// stream returns after it was cut from here tells nothing.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}
