// Package cause says why an informer calls a handler: how the store got the state that the
// call delivers.
//
//	var why cause.Cause
//	handler := cache.HandlerFuncs[*v1.Foo]{Update: func(old, foo *v1.Foo) {
//		if why.Kind == cause.List { ... } // states between old and foo may have been missed
//	}}
//	informer.AddHandler(handler, cache.HandlerOptions{Cause: &why})
//
// The events of batches have a field Cause. A merged event of a handler that coalesces has
// the cause of the last change in it.
package cause

import "fmt"

// Cause is why a handler is called.
type Cause struct {
	// Kind says what has led to the call.
	Kind Kind
	// Reason is the error that led to the relist, if Kind is List, as
	// cache.Status.RelistReason has it; package failure sorts it into a class. It is nil
	// otherwise, and for a first list.
	Reason error
}

// String returns the kind, with the reason if there is one.
func (c Cause) String() string {
	if c.Reason == nil {
		return c.Kind.String()
	}
	return fmt.Sprintf("%v after %v", c.Kind, c.Reason)
}

// Kind is a kind of causes. The zero value is none, that of a handler that was not called
// yet.
type Kind uint8

const (
	// Watch is a watch event, or the read of a single object by its name, if no list or
	// watch had delivered it in a usable form.
	Watch Kind = iota + 1
	// List is a list or watch-list of all objects: the first one of the informer or of a
	// namespace, or one after a gap, with its Reason. Objects that it does not have are
	// deleted.
	List
	// Resync is the resync period of the handler.
	Resync
	// Join is that the handler was added after the first list: the object is one of those
	// that the store held then.
	Join
	// NamespaceLeft is a deletion of which the server knows nothing: the namespace is no
	// longer one of those that the informer follows.
	NamespaceLeft
	// Released is not a deletion: the shard or the set of names of the informer does not have
	// the object any more, and its state is the last that the informer has seen.
	Released
	// ResourceRemoved is a deletion because the server does not serve the resource any
	// more.
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

// String returns the kind as it is in logs, such as "resource removed".
func (k Kind) String() string {
	if int(k) >= len(kindNames) {
		return fmt.Sprintf("kind %d", uint8(k))
	}
	return kindNames[k]
}
