package cachetest

import (
	"context"
	"net/http"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Verb is the operation of a request.
type Verb string

const (
	// List is one page of a list.
	List Verb = "list"
	// Watch is a watch without sendInitialEvents=true.
	Watch Verb = "watch"
	// WatchList is a watch with sendInitialEvents=true.
	WatchList Verb = "watchlist"
	// Get reads an object.
	Get Verb = "get"
	// Create creates an object.
	Create Verb = "create"
	// Patch patches or applies an object.
	Patch Verb = "patch"
)

// Update and Delete are a Verb of requests that write, and an EventType.
const (
	// Update is a request that replaces an object, or a call of OnUpdate.
	Update = "update"
	// Delete is a request that deletes an object, or all objects of a collection, or a call of
	// OnDelete.
	Delete = "delete"
)

// verbs are the verbs of requests for an object, by their HTTP methods.
var verbs = map[string]Verb{
	http.MethodGet: Get, http.MethodPost: Create, http.MethodPut: Update, http.MethodPatch: Patch, http.MethodDelete: Delete,
}

// Request is a request that reached the API: a list, a watch or, from a client of a Server, any other
// request.
type Request struct {
	// Verb is the operation of the request.
	Verb Verb
	// Namespace is empty for all namespaces.
	Namespace string
	// Name is the object's name. It is empty for requests without one: lists, watches, creates, and deletes
	// of a collection.
	Name string
	// Subresource is "status", or empty.
	Subresource string
	// Options are the options of a list or watch, as they came.
	Options metav1.ListOptions
	// Arrived is when it came.
	Arrived time.Time
	// Fault describes the fault that it met. It is empty for none.
	Fault string
	// Answered is false as long as the request is delayed or hangs.
	Answered bool
	// Err is the error of the response. For a watch, it is the error of its opening, not of the end of its
	// stream.
	Err error
}

// Requests returns the requests since the API was made or ResetRequests called, in the order
// of their arrival.
func (a *engine) Requests() []Request {
	a.mu.Lock()
	defer a.mu.Unlock()
	requests := make([]Request, len(a.requests))
	for i, r := range a.requests {
		requests[i] = *r
	}
	return requests
}

// ResetRequests empties the log of requests.
func (a *engine) ResetRequests() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = nil
}

// arrive logs a request and returns the fault that it meets, or the zero value for none.
func (a *engine) arrive(r Request) (*Request, *Fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Arrived = time.Now()
	a.requests = append(a.requests, &r)
	fault := a.meetLocked(r)
	r.Fault = fault.String()
	return &r, &fault
}

func (a *engine) meetLocked(r Request) Fault {
	i := slices.IndexFunc(a.faults, func(f *Fault) bool { return f.matches(r) })
	if i < 0 {
		return a.chaos.meet(r)
	}
	met := *a.faults[i]
	if a.faults[i].Times--; a.faults[i].Times == 0 {
		a.faults = slices.Delete(a.faults, i, i+1)
	}
	return met
}

// meet logs a request for an object, and carries it out unless its fault fails it first.
func (a *engine) meet(ctx context.Context, r Request, carryOut func() error) error {
	request, fault := a.arrive(r)
	err := fault.around(ctx, carryOut)
	a.answer(request, err)
	return err
}

// installed reports whether the server has the resource.
func (a *engine) installed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return !a.uninstalled
}

// answer logs the response to a request.
func (a *engine) answer(r *Request, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Answered, r.Err = true, err
}
