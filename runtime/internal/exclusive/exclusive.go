// Package exclusive lets an informer tell its source, through whatever wraps that, that
// objects are going to be changed: no two of them may share memory then.
package exclusive

import "context"

type key struct{}

// Context returns a context for requests whose objects share nothing.
func Context(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, true) }

// Is reports whether the objects of a request are to share nothing.
func Is(ctx context.Context) bool { return ctx.Value(key{}) != nil }
