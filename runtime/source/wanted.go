package source

import (
	"context"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// wanted reports whether an encoded object of a response is to be decoded, by its metadata.
// Nil is every one. One in which these can't be found is decoded, for the informer to decide.
type wanted func(uid, namespace, resourceVersion []byte) bool

// wantedOf returns what the request of ctx wants.
func wantedOf(ctx context.Context) wanted { return wanted(decoding.From(ctx).Wanted) }

// has reports whether an object with these metadata is wanted, if they were found.
func (w wanted) has(m decode.Metadata, found bool) bool {
	return !found || w(m.UID, m.Namespace, m.ResourceVersion)
}
