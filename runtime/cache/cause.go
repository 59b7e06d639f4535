package cache

import (
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
)

// The causes that have no reason.
var (
	watched         = cause.Cause{Kind: cause.Watch}
	firstList       = cause.Cause{Kind: cause.List}
	resyncDue       = cause.Cause{Kind: cause.Resync}
	joinedLate      = cause.Cause{Kind: cause.Join}
	namespaceLeft   = cause.Cause{Kind: cause.NamespaceLeft}
	released        = cause.Cause{Kind: cause.Released}
	resourceRemoved = cause.Cause{Kind: cause.ResourceRemoved}
)

// why returns the cause of the current event.
func (l *listener) why(e *eventlog.Event) cause.Cause {
	if e.Watched {
		return watched
	}
	return *l.cause
}
