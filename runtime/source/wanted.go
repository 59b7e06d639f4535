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
func wantedOf(ctx context.Context) wanted { return wanted(decoding.FilterOf(ctx)) }

func (w wanted) json(text []byte, x decode.Index) bool {
	return w == nil || w.has(decode.JSONMetadata(text, x))
}

func (w wanted) proto(message []byte) bool {
	return w == nil || w.has(decode.ProtoMetadata(message))
}

func (w wanted) has(m decode.Metadata, ok bool) bool {
	return !ok || w(m.UID, m.Namespace, m.ResourceVersion)
}
