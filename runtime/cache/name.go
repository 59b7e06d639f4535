package cache

import (
	"context"
	"sync/atomic"

	"k8s.io/klog/v2"
)

// name is the name of an informer. It is the given one, until the source finds a better one.
type name struct {
	given  string
	better atomic.Pointer[string]
}

func (n *name) String() string {
	if better := n.better.Load(); better != nil {
		return *better
	}
	return n.given
}

// improve changes the name for good. Later calls do nothing.
func (n *name) improve(better string) { n.better.CompareAndSwap(nil, &better) }

// namedContext is a context whose logger adds the informer's name, as it is when a line is logged.
type namedContext struct {
	context.Context
	name *name
}

// withName returns ctx with a logger that adds the name.
func withName(ctx context.Context, name *name) context.Context {
	return namedContext{klog.NewContext(ctx, klog.FromContext(ctx)), name}
}

// Value adds the name to the logger of the context below.
func (c namedContext) Value(key any) any {
	value := c.Context.Value(key)
	if logger, ok := value.(klog.Logger); ok {
		return logger.WithValues("informer", c.name.String())
	}
	return value
}
