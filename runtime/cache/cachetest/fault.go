package cachetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// ErrConnectionRefused is a client's error for a server that does not listen.
var ErrConnectionRefused error = &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}

// ErrConnectionReset is a client's error for a connection that was cut.
var ErrConnectionReset error = &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}

// ErrTruncated is a client's error for a body that ends normally, but in the middle of an item or event.
// Over HTTP, the client gets such a body.
var ErrTruncated = fmt.Errorf("body ends in the middle of an object: %w", io.ErrUnexpectedEOF)

// ErrGarbled is a client's error for bytes that are no JSON. Over HTTP, such bytes replace the rest of a
// list, or one event of a watch, which continues.
var ErrGarbled = errors.New("object is garbled: invalid character '\x00'")

// Fault is something that goes wrong with a request. With nothing but an Err, the next request fails with
// it. In this order, a fault
//
//   - waits for Delay, and calls Do,
//   - lets After items or events pass,
//   - lets nothing pass for Stall,
//   - sends something again, for Repeat,
//   - and then hangs, fails with Err, or, with neither, goes on as if nothing
//     had happened.
//
// A request of a Server's client for a single object, such as a write, uses the fields up to Do, and Stall,
// Hang and Err. It fails before anything is done. With Opened or After, it fails after it was carried out:
// the client then does not know that it was.
type Fault struct {
	// Verb is the verb of the requests that the fault concerns, or empty for all. Update also concerns
	// updates of a status: If can tell them apart by the Subresource.
	Verb Verb
	// Page is the page of a list that it concerns, from 1. Zero means any request.
	Page int
	// If restricts the requests further. Nil adds no condition. It must not call the API.
	If func(Request) bool
	// Times is the number of requests that meet the fault. Zero means one, and a negative number all
	// requests until ClearFaults.
	Times int

	// Delay is the time before the request is handled.
	Delay time.Duration
	// Do, if it is not nil, is called before the request is handled. It may call the API: for example, a
	// write and Compact make the token of the next page of a list expire.
	Do func()
	// Shuffle, if it is not zero, is the seed of the order of a list's items and of a watch's initial
	// events. All pages of a list have the order of its first page.
	Shuffle uint64

	// After is the number of items of the list, or events of the watch, before the failure. A shorter list
	// fails at its end.
	After int
	// Opened makes a watch with an After of zero fail in its stream, not when it is opened, and a write
	// fail after it was carried out.
	Opened bool
	// Stall is the time for which nothing is sent then.
	Stall time.Duration
	// Repeat sends an item or event again: 1 the last one, 2 the one before it, which may be older than
	// later ones, and so on.
	Repeat int
	// LoseBookmarks drops all further bookmarks of a watch, including the one that closes the initial
	// events.
	LoseBookmarks bool
	// Padding makes the next item or event longer by that many bytes, over HTTP.
	Padding int
	// Hang leaves the request without a response, or the watch without an event, until its context ends or
	// the watch is stopped.
	Hang bool
	// Err is the failure. A status error, such as one of Status, is the server's response; in an open
	// watch, it is an event of type ERROR. io.EOF ends an open watch normally. ErrTruncated and ErrGarbled
	// are in the body, even if After is zero. Any other error is an error of the connection.
	//
	// A status error with a cause of type UnexpectedServerResponse is a response that is no status, such as
	// a proxy's. Over HTTP, the cause is its text.
	//
	// A *failure.ObjectError replaces the item or event after the first After, and the request continues.
	// If it has no Object, it gets the replaced one's.
	Err error
}

// String describes what the fault does.
func (f Fault) String() string {
	var parts []string
	does := func(it bool, format string, args ...any) {
		if it {
			parts = append(parts, fmt.Sprintf(format, args...))
		}
	}
	does(f.Delay > 0, "delay %v", f.Delay)
	does(f.Do != nil, "do")
	does(f.Shuffle != 0, "shuffle %d", f.Shuffle)
	does(f.After > 0, "after %d", f.After)
	does(f.Stall > 0, "stall %v", f.Stall)
	does(f.Repeat > 0, "repeat %d", f.Repeat)
	does(f.LoseBookmarks, "lose bookmarks")
	does(f.Padding > 0, "padding %d", f.Padding)
	does(f.Hang, "hang")
	does(f.Err != nil && !f.Hang, "%v", f.Err)
	return strings.Join(parts, ", ")
}

// Status returns the error of an API server's response with an HTTP status code: 403, 404, 410 (which has
// the reason Expired), 429, 500, 503 or another.
func Status(code int) *apierrors.StatusError { return StatusRetryAfter(code, 0) }

// StatusRetryAfter is Status, with the header Retry-After.
func StatusRetryAfter(code int, seconds int) *apierrors.StatusError {
	err := apierrors.NewGenericServerResponse(code, http.MethodGet, schema.GroupResource{}, "", "scripted fault", seconds, false)
	if code == http.StatusGone {
		err = apierrors.NewResourceExpired("resource expired")
	}
	return err
}

// Fail scripts faults. A request meets only the first fault, in the order of the scripts, that concerns it
// and is not used up.
func (a *engine) Fail(faults ...Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, f := range faults {
		if f.Times == 0 {
			f.Times = 1
		}
		a.faults = append(a.faults, &f)
	}
}

// ClearFaults removes the faults that are not used up, and ends FailRandomly. Requests that have met a
// fault keep it.
func (a *engine) ClearFaults() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.faults, a.chaos = nil, nil
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

// pageNumber returns the number of the page that a continue token names, from 1. It returns 0 for an
// invalid token.
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

// start waits for the delay, and returns the error of a request that fails before any part of it is
// answered.
func (f *Fault) start(ctx context.Context) error {
	if err := pause(ctx, f.Delay); err != nil {
		return err
	}
	if f.Do != nil {
		f.Do()
	}
	if !f.ends() || f.After > 0 || f.answered() {
		return nil
	}
	if err := pause(ctx, f.Stall); err != nil {
		return err
	}
	return f.end(ctx)
}

// around carries out a request for an object, unless the fault fails it before.
func (f *Fault) around(ctx context.Context, carryOut func() error) error {
	if err := f.start(ctx); err != nil {
		return err
	}
	if err := carryOut(); err != nil {
		return err
	}
	if err := pause(ctx, f.Stall); err != nil || !f.ends() {
		return err
	}
	return f.end(ctx)
}

// pause waits, and returns the cause if the context has ended.
func pause(ctx context.Context, d time.Duration) error {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return context.Cause(ctx)
}

// ends reports whether the fault ends its request, rather than one object of it.
func (f *Fault) ends() bool {
	var object *failure.ObjectError
	return f.Hang || f.Err != nil && !errors.As(f.Err, &object)
}

// answered reports whether the failure comes after the header of the response.
func (f *Fault) answered() bool { return f.Opened || inBody(f.Err) }

// end returns the error with which the request ends.
func (f *Fault) end(ctx context.Context) error {
	if f.Hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return f.Err
}

// undecodable returns the error that replaces the object of a key, or nil if the fault is another one.
func (f *Fault) undecodable(key types.NamespacedName) *failure.ObjectError {
	var object *failure.ObjectError
	if f.ends() || !errors.As(f.Err, &object) {
		return nil
	}
	named := *object
	if named.Object == "" && key.Name != "" {
		named.Object = strings.TrimPrefix(key.String(), "/")
	}
	return &named
}
