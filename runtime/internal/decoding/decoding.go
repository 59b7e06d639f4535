// Package decoding lets an informer tell its source, through whatever wraps that, how to decode its
// objects. It lets a source ask functions and clients what they request, and tells informers and
// sources which memory of an object its readers write to.
package decoding

import "context"

// Options say how to decode the objects of a request. The zero value means as client-go does.
type Options struct {
	// Exclusive means that the objects will be changed, so that no two may share memory.
	Exclusive bool
	// DropManagedFields leaves out metadata.managedFields. A source may ignore it.
	DropManagedFields bool
}

// Wanted reports, by the metadata of an object, whether the object must be decoded. The slices are valid
// during the call only. A value that can't be found is empty.
type Wanted func(uid, namespace, resourceVersion []byte) bool

// Request describes a list or watch, on its way from the informer to the transport. It is the only value
// that the runtime keeps in a context. With it the informer says how to decode the objects of the response,
// and which of them. A source may ignore that.
type Request struct {
	Options
	// Wanted selects objects. Nil selects all.
	Wanted Wanted
	// Unselected requests all objects, including the ones that a source would leave out.
	Unselected bool
	// Sequence is nil for a request that stands alone, such as the read of one object.
	Sequence *Sequence
	// LeftOut is called with the resourceVersion of each object that a source leaves out, and with "" for
	// an item that waits for the end of its list. It may be nil.
	LeftOut func(resourceVersion string)
	// Rename gives the informer a better name than it was made with. The first call counts. It is nil in
	// requests outside of Run.
	Rename func(name string)
	// Judge returns an error for a list that may not be a list of the requested objects. The source calls
	// it when the list has arrived, and returns its error. Nil accepts every list.
	Judge func(List) error
	// Question asks for a description of the request, from the function or transport that would send it. It
	// is not sent then. Nil asks nothing.
	Question any
}

// Collection is a resource in one namespace, or in all for "", as a request names it.
type Collection struct{ Group, Version, Resource, Namespace string }

// String returns the name of an informer of the collection, as "pods.v1", or "pods.v1/default" if it is of
// one namespace.
func (c Collection) String() string {
	name := c.Resource
	for _, part := range []string{c.Version, c.Group} {
		if part != "" {
			name += "." + part
		}
	}
	if c.Namespace != "" {
		name += "/" + c.Namespace
	}
	return name
}

// List describes a list, or a page of one, by what it says about itself and its resource.
type List struct {
	// Checked reports whether a client has decoded the list and checked its kind. Clients drop the TypeMeta
	// then.
	Checked bool
	// Own is the list's own TypeMeta.
	Own TypeMeta
	// Items counts the items. Item is the kind of one of them, if its group and version are the request's.
	Items int
	Item  string
	// Requested is the group and version of the request.
	Requested string
	// Objects is the kind that objects have had. Earlier is the Own of the last list that counted.
	Objects string
	Earlier TypeMeta
	// Learn is called when the list counts: it is the Earlier of later lists. It may be nil.
	Learn func()
}

// TypeMeta is a kind with its group and version. Each is "" if it is not known.
type TypeMeta struct{ APIVersion, Kind string }

type key struct{}

// With returns a context for a request, in place of the request that ctx is for.
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

// WithQuestion returns a context for a question about the request of ctx.
func WithQuestion(ctx context.Context, question any) context.Context {
	request := From(ctx)
	request.Question = question
	return With(ctx, request)
}
