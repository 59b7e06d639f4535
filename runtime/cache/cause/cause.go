// Package cause says why an informer calls a handler: the reason for the change that the call delivers.
//
//	var why cause.Cause
//	handler := cache.HandlerFuncs[*v1.Foo]{Update: func(old, foo *v1.Foo) {
//		if why.Kind == cause.List { ... } // states between old and foo may have been missed
//	}}
//	informer.AddHandler(handler, cache.HandlerOptions{Cause: &why})
//
// The events of batches have a field Cause. A merged event of a handler that coalesces has the cause of its
// last change.
package cause

import "fmt"

// Cause is the reason for a call of a handler.
type Cause struct {
	// Kind is the kind of the reason.
	Kind Kind
	// Reason is the error that led to the relist if Kind is List, like cache.Status.RelistReason. Package
	// failure sorts it into a class. It is nil for other kinds, and for a first list.
	Reason error
}

// String returns the kind, with the reason if there is one.
func (c Cause) String() string {
	if c.Reason == nil {
		return c.Kind.String()
	}
	return fmt.Sprintf("%v after %v", c.Kind, c.Reason)
}

// Kind is a kind of cause. The zero value stands for a handler that was not called yet.
type Kind uint8

const (
	// Watch is a watch event. It is also the read of a single object by its name that no list or watch had
	// delivered in a usable form.
	Watch Kind = iota + 1
	// List is a list or watch-list of all objects: the first one of the informer or of a namespace, or one
	// after a gap, with its Reason. Objects that the list does not have are deleted.
	List
	// Resync is the resync period of the handler.
	Resync
	// Join means that the handler was added after the first list, when the store already held the object.
	Join
	// NamespaceLeft is a deletion from the informer only: it does not follow the namespace any more.
	NamespaceLeft
	// Released is not a deletion: the object is not in the informer's shard or set of names any more. Its
	// state is the last one that the informer has seen.
	Released
	// ResourceRemoved is a deletion because the server does not serve the resource any more.
	ResourceRemoved
)

var kindNames = [...]string{
	"none",
	Watch:           "watch",
	List:            "list",
	Resync:          "resync",
	Join:            "join",
	NamespaceLeft:   "namespace left",
	Released:        "released",
	ResourceRemoved: "resource removed",
}

// String returns the kind as logs have it, such as "resource removed".
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}
