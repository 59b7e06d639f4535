package cachetest

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// ErrConnectionRefused is how a client sees a server that does not listen.
var ErrConnectionRefused error = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

// ErrConnectionReset is how a client sees a connection that was cut.
var ErrConnectionReset error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// Fault is something that goes wrong with a request. Its zero value, with an
// Err, is the next request failing with it. In this order it
//
//   - waits for Delay,
//   - lets After items or frames pass,
//   - and then hangs, fails with Err, or, with neither, goes on as if nothing
//     had happened.
type Fault struct {
	// Verb is which requests the fault concerns; empty for all.
	Verb Verb
	// Page is which page of a list it concerns, from 1; 0 for any request.
	Page int
	// If narrows the requests further; nil for no more conditions. It must not
	// call the API.
	If func(Request) bool
	// Times is how many requests meet the fault; 0 is one, and a negative
	// number all until ClearFaults.
	Times int

	// Delay passes before the request is looked at.
	Delay time.Duration
	// After is how many items of the list, or frames of the watch, pass before
	// the failure. A shorter list fails at its end.
	After int
	// Opened makes a watch whose After is zero fail in its stream, and not
	// when it is opened.
	Opened bool
	// Hang keeps the request without an answer, or the watch without a frame,
	// until its context ends or the watch is stopped.
	Hang bool
	// Err is the failure. A status error, such as those of Status, is the
	// server's answer; in a watch that has opened, it is a frame of type ERROR.
	// io.EOF ends an open watch in good order. Any other error is one of the
	// connection.
	//
	// A *cache.ObjectError takes the place of the item or frame after the first
	// After, and the request goes on. If it has no Object, it gets the one it
	// stands for.
	Err error
}

// Status returns the error with which an API server answers with an HTTP
// status code: 403, 404, 410 (which has the reason Expired), 429, 500, 503 or
// another.
func Status(code int) *apierrors.StatusError { return StatusRetryAfter(code, 0) }

// StatusRetryAfter is Status, with the header Retry-After.
func StatusRetryAfter(code int, seconds int) *apierrors.StatusError {
	err := apierrors.NewGenericServerResponse(code, http.MethodGet, schema.GroupResource{}, "", "scripted fault", seconds, false)
	if code == http.StatusGone {
		err = apierrors.NewResourceExpired("resource expired")
	}
	return err
}

// Fail scripts faults. A request meets the first one, in the order in which
// they were scripted, that concerns it and is not used up; and only that one.
func (a *API[T]) Fail(faults ...Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range faults {
		if f.Times == 0 {
			f.Times = 1
		}
		a.faults = append(a.faults, &f)
	}
}

// ClearFaults forgets the faults that are not used up. Requests that have met
// theirs keep it.
func (a *API[T]) ClearFaults() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults = nil
}

func (f *Fault) matches(r Request) bool {
	if f.Verb != "" && f.Verb != r.Verb {
		return false
	}
	if f.Page != 0 && (r.Verb != List || f.Page != pageNumber(r.Options.Continue)) {
		return false
	}
	return f.If == nil || f.If(r)
}

// pageNumber returns which page a continue token names, from 1, and 0 for a
// token that is not valid.
func pageNumber(token string) int {
	if token == "" {
		return 1
	}
	t, err := decodeToken(token)
	if err != nil {
		return 0
	}
	return t.Page + 1
}

// The methods below may be called on nil, which is no fault.

// start waits for the delay, and fails a request that is to fail before
// anything of it is answered.
func (f *Fault) start(ctx context.Context) error {
	if f != nil && f.Delay > 0 {
		timer := time.NewTimer(f.Delay)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if f.ends() && f.After <= 0 && !f.Opened {
		return f.end(ctx)
	}
	return nil
}

// strikes says whether it is the turn of the failure after n items or frames.
func (f *Fault) strikes(n int) bool {
	return f != nil && f.After == n && (f.Hang || f.Err != nil)
}

// ends says whether the fault ends its request, rather than one object of it.
func (f *Fault) ends() bool {
	if f == nil || f.Hang {
		return f != nil
	}
	var object *cache.ObjectError
	return f.Err != nil && !errors.As(f.Err, &object)
}

// end is how the request ends.
func (f *Fault) end(ctx context.Context) error {
	if f.Hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return f.Err
}

// undecodable returns the error that stands for the object of that key, or nil
// if the fault is another one.
func (f *Fault) undecodable(key types.NamespacedName) *cache.ObjectError {
	var object *cache.ObjectError
	if f.ends() || !errors.As(f.Err, &object) {
		return nil
	}
	named := *object
	if named.Object == "" && key.Name != "" {
		named.Object = strings.TrimPrefix(key.String(), "/")
	}
	return &named
}
