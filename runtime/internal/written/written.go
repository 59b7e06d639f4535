// Package written tells a controller, by way of the context of a request, what a client has written.
package written

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Notes take what was written with a context, by any goroutine. Client is compared with
// cache.SourceInfo.Client of informers.
type Notes interface {
	// Wrote takes what the server has returned for a create, an update or a patch.
	Wrote(client any, resource schema.GroupResource, obj metav1.Object)
	// Deleted takes an object, with its UID if the server has returned that, of which the server has
	// accepted the deletion.
	Deleted(client any, resource schema.GroupResource, obj metav1.Object)
	// Unanswered is called for a write that the server may have made or not.
	Unanswered(client any, resource schema.GroupResource)
}

// Key is the key of a context under which it has its Notes.
type Key struct{}

// To returns the Notes of a context, nil if it has none.
func To(ctx context.Context) Notes {
	notes, _ := ctx.Value(Key{}).(Notes)
	return notes
}
