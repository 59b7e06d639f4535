// Package share holds once what is equal in objects, whoever has decoded them: a clientset,
// client-go's dynamic client, a transform. Package runtime/source does so by itself, for
// less CPU, as long as there is no transform.
//
//	parts := share.New() // one for all informers
//	factory := informers.NewSharedInformerFactoryWithOptions(clientset, 0, informers.WithTransform(parts.Transform))
//
// The transform also fits client-go's informers, and the cache of controller-runtime
// (cache.Options.DefaultTransform).
//
// Data flow: an object is walked from its leaves to its root. Each pointer, slice and map is
// looked up by its Go type and a hash of 128 bits of all that it refers to, and replaced
// by an equal one that another object has. Strings of up to 128 bytes are replaced too.
package share

import "github.com/informer-gen/informer-gen/runtime/internal/decode"

// Parts remembers parts of objects that other objects may have too. It keeps no object
// alive, and takes no more than 3 MB itself. It is safe for concurrent use.
type Parts struct{ shared *decode.Shared }

// New returns a Parts that knows none.
func New() *Parts { return &Parts{decode.NewShared()} }

// Transform makes parts of an object one with equal parts of those before it, and returns
// the object. It has to be the caller's alone, as a transform's is: from then on it is
// read-only, as are its parts in other objects. Its error is nil. What is no pointer to an object
// stays as it is.
func (p *Parts) Transform(object any) (any, error) {
	p.shared.Canonical(object)
	return object, nil
}

// After returns a transform that shares what another one returns.
func (p *Parts) After(transform func(any) (any, error)) func(any) (any, error) {
	return func(object any) (any, error) {
		object, err := transform(object)
		if err != nil {
			return object, err
		}
		return p.Transform(object)
	}
}

// Saved returns how many parts were replaced, and how many bytes they had, about.
func (p *Parts) Saved() (parts, bytes uint64) { return p.shared.Saved() }
