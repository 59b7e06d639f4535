package source

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// response is the body of a response to a list or a watch, not yet decoded.
type response struct {
	decoder
	body io.ReadCloser
}

// decoder says how to decode the objects of a response.
type decoder struct {
	codec *codec
	// gv is the group and version of the objects.
	gv schema.GroupVersion
	// limit is the greatest number of bytes of an object that are buffered.
	limit int64
	// wants says how the objects are to be decoded, and which.
	wants decoding.Request
}

// has reports whether an object with these metadata is wanted. One in which they were not found
// is, for the informer to decide.
func (d *decoder) has(m decode.Metadata, found bool) bool {
	return !found || d.wants.Wanted(m.UID, m.Namespace, m.ResourceVersion)
}

func newResponse(body io.ReadCloser, d decoder) *response { return &response{d, connection{body}} }

// list decodes a list, and calls each while it arrives.
func (r *response) list(ctx context.Context, each func(any, error)) (metav1.ListMeta, error) {
	meta, err := r.listItems(each)
	if err != nil {
		return metav1.ListMeta{}, ended(ctx, undecodable(err))
	}
	return meta, nil
}

func (r *response) listItems(each func(any, error)) (metav1.ListMeta, error) {
	encoding, content, err := r.content(false)
	if err != nil {
		return metav1.ListMeta{}, err
	}
	return encoding.list(&r.decoder, content, each)
}

// content returns the content of the body and its encoding, which its first bytes show. It waits for
// these bytes. Some proxies compress what the request does not allow them to.
func (r *response) content(watch bool) (encoding, io.Reader, error) {
	begin, content, err := peek(r.body)
	if err == nil && bytes.HasPrefix(begin, gzipped) {
		if content, err = gzip.NewReader(content); err == nil {
			begin, content, err = peek(content)
		}
	}
	if err != nil {
		return encoding{}, nil, err
	}
	e, err := r.codec.encodings.beginning(begin, watch)
	return e, content, err
}

// gzipped begins what is compressed. As a length of a frame it is more than 500 MB.
var gzipped = []byte{0x1f, 0x8b, 0x08}

// peek returns the first bytes of a stream, fewer only at its end, and the whole stream.
func peek(in io.Reader) ([]byte, io.Reader, error) {
	begin := make([]byte, 4)
	n, err := io.ReadFull(in, begin)
	whole := io.Reader(bytes.NewReader(begin[:n]))
	switch err {
	case nil:
		return begin, io.MultiReader(whole, in), nil
	case io.EOF, io.ErrUnexpectedEOF: // of ReadFull; whoever decodes it says whether it may end there
		return begin[:n], whole, nil
	default:
		return nil, nil, err
	}
}

func (r *response) close() { _ = r.body.Close() }

// watcher returns what decodes the events of a watch, whose request is one of ctx.
func (r *response) watcher(ctx context.Context, cancel context.CancelCauseFunc) cache.Watcher {
	return &restWatcher{response: r, ctx: ctx, cancel: cancel}
}
