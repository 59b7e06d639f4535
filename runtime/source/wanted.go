package source

import (
	"context"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// wanted reports whether an encoded object of a response is to be decoded. Nil is every one.
type wanted func(encoded []byte) bool

func (w wanted) has(encoded []byte) bool { return w == nil || w(encoded) }

// wantedOf returns what the request of ctx wants, which it reads from the metadata. An object
// in which these can't be found is decoded, for the informer to decide.
func wantedOf(ctx context.Context, metadata func([]byte) (decode.Metadata, bool)) wanted {
	filter := decoding.FilterOf(ctx)
	if filter == nil {
		return nil
	}
	return func(encoded []byte) bool {
		m, ok := metadata(encoded)
		return !ok || filter(m.UID, m.Namespace, m.ResourceVersion)
	}
}
