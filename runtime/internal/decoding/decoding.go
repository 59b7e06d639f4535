// Package decoding lets an informer tell its source, through whatever wraps that, how its
// objects are to be decoded, and a source the transport of its client, through that client. It
// tells informers and sources which memory of an object its readers write to.
package decoding

import "context"

// Options say how to decode the objects of a request. The zero value is as client-go does.
type Options struct {
	// Exclusive is for objects that are going to be changed: no two may share memory.
	Exclusive bool
	// DropManagedFields leaves out metadata.managedFields. A source may ignore it.
	DropManagedFields bool
}

// Wanted reports, from the metadata of an object, whether it is to be decoded. The slices are
// valid during the call only. What of an object can't be found is empty.
type Wanted func(uid, namespace, resourceVersion []byte) bool

// Request describes a list or watch, on its way from the informer to the transport. It is the
// one value that the runtime keeps in a context. The informer says how the objects of the
// response are to be decoded, and which, which a source may ignore.
type Request struct {
	Options
	// Wanted selects objects; nil selects all.
	Wanted Wanted
	// Unselected asks for objects whether or not a source would leave them out.
	Unselected bool
	// Sequence is nil for a request that stands alone, such as the read of one object.
	Sequence *Sequence
	// LeftOut is called with the resourceVersion of each object that a source leaves out, and with ""
	// for an item that waits for the end of its list; nil is not.
	LeftOut func(resourceVersion string)
	// Rename gives the informer a better name than it was made with. The first one counts. It
	// is nil in requests outside of Run.
	Rename func(name string)
	// Requested is called by the transport of a Streaming; nil is not.
	Requested func(Collection)
	// Judge returns an error for a list that may be none of the objects that were requested. The
	// source calls it when the list has arrived, and returns its error; nil accepts every list.
	Judge func(List) error
	// Sender is the state of the source for the transport of its client; nil is none.
	Sender any
}

// Collection is a resource, in one namespace or for "" in all, as a request names it.
type Collection struct{ Group, Version, Resource, Namespace string }

// List describes a list, or a page of one, as far as it says what it is, and its resource.
type List struct {
	// Checked reports whether a client has decoded the list and checked its kind. Clients drop the
	// TypeMeta then.
	Checked bool
	// Own is the list's.
	Own TypeMeta
	// Items counts the items. Item is the kind that one of them has, if that is of the group and
	// version of the request.
	Items int
	Item  string
	// Requested is the group and version of the request.
	Requested string
	// Objects is the kind that objects have shown, and Earlier is Own of the last list that counted.
	Objects string
	Earlier TypeMeta
	// Learn is called when the list counts: it is the earlier one of those that follow. It may be nil.
	Learn func()
}

// TypeMeta is a kind with its group and version; "" is not known.
type TypeMeta struct{ APIVersion, Kind string }

type key struct{}

// With returns a context for such a request, in place of the one that ctx is for.
func With(ctx context.Context, request Request) context.Context {
	return context.WithValue(ctx, key{}, request)
}

// From returns the request that a context is for.
func From(ctx context.Context) Request {
	request, _ := ctx.Value(key{}).(Request)
	return request
}

// WithJudge returns a context for the request of ctx with a judge.
func WithJudge(ctx context.Context, judge func(List) error) context.Context {
	request := From(ctx)
	request.Judge = judge
	return With(ctx, request)
}

// WithSender returns a context for the request of ctx with a sender.
func WithSender(ctx context.Context, sender any) context.Context {
	request := From(ctx)
	request.Sender = sender
	return With(ctx, request)
}
