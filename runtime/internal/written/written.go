// Package written tells a controller which objects a client has written, by way of the context of the
// request.
package written

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Notes takes the writes with a context, from any goroutine. client is compared with
// cache.SourceInfo.Client of informers.
type Notes interface {
	// Wrote takes the server's response to a create, an update or a patch.
	Wrote(client any, resource schema.GroupResource, obj metav1.Object)
	// Deleted takes an object whose deletion the server has accepted. The object has its UID if the server
	// has returned that.
	Deleted(client any, resource schema.GroupResource, obj metav1.Object)
	// Unanswered is called for a write that the server may or may not have made.
	Unanswered(client any, resource schema.GroupResource)
}

// Key is the key of a context's Notes.
type Key struct{}

// To returns the Notes of a context, or nil.
func To(ctx context.Context) Notes {
	notes, _ := ctx.Value(Key{}).(Notes)
	return notes
}
