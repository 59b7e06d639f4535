package cache

import "github.com/informer-gen/informer-gen/runtime/cache/cause"

// The causes that have no reason.
var (
	firstList       = cause.Cause{Kind: cause.List}
	resyncDue       = cause.Cause{Kind: cause.Resync}
	joinedLate      = cause.Cause{Kind: cause.Join}
	namespaceLeft   = cause.Cause{Kind: cause.NamespaceLeft}
	released        = cause.Cause{Kind: cause.Released}
	resourceRemoved = cause.Cause{Kind: cause.ResourceRemoved}
)
