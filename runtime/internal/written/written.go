// Package written tells a controller, by way of the context of a request, what a client has written.
package written

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Notes are told what was written with a context, by any goroutine. The client is that of
// cache.SourceInfo.
type Notes interface {
	// Wrote takes what the server has returned for a create, an update or a patch.
	Wrote(client any, resource schema.GroupResource, obj metav1.Object)
	// Deleted takes an object, with its UID if the server has returned that, of which the server has
	// accepted the deletion.
	Deleted(client any, resource schema.GroupResource, obj metav1.Object)
	// Unanswered is called for a write that the server may have made or not.
	Unanswered(client any, resource schema.GroupResource)
}

// Key is that of the Notes of a context: its value for Key{} is told what is written.
type Key struct{}

// To returns those of a context, nil if there are none.
func To(ctx context.Context) Notes {
	notes, _ := ctx.Value(Key{}).(Notes)
	return notes
}
