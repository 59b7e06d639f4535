package source

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// response is that of a list or a watch, not yet decoded.
type response struct {
	decoder
	body     io.ReadCloser
	encoding encoding
}

// decoder says how to decode the objects of a response.
type decoder struct {
	codec *codec
	// gv is that of the objects.
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

// newResponse returns the response of a body with a status of 2xx, or an error if it can't be
// decoded.
func newResponse(body io.ReadCloser, about answer, d decoder) (*response, error) {
	encoding, err := about.encoding(d.codec.encodings)
	if err != nil {
		return nil, err
	}
	r := &response{d, connection{body}, encoding}
	if about.contentEncoding == "gzip" { // of a proxy that compresses what is to be left alone
		r.body = &inflated{body: r.body}
	}
	return r, nil
}

// encoding returns the one of the content, or an error if there is no such one.
func (a *answer) encoding(all encodings) (encoding, error) {
	switch a.contentEncoding {
	case "", "identity", "gzip":
	default:
		return encoding{}, fmt.Errorf("content encoding %q: not supported", a.contentEncoding)
	}
	if a.code == http.StatusPartialContent {
		return encoding{}, errors.New("status 206: is a part of the response")
	}
	if a.contentType == "" {
		return inJSON, nil
	}
	mediaType, _, err := mime.ParseMediaType(a.contentType)
	if err != nil {
		return encoding{}, fmt.Errorf("content type %q: %w", a.contentType, err)
	}
	return all.of(mediaType)
}

// list decodes a list, and calls each while it arrives.
func (r *response) list(ctx context.Context, each func(any, error)) (meta metav1.ListMeta, err error) {
	meta, err = r.encoding.list(&r.decoder, r.body, each)
	if err != nil {
		return metav1.ListMeta{}, ended(ctx, undecodable(err))
	}
	return meta, nil
}

func (r *response) close() { _ = r.body.Close() }

// watcher returns what decodes the events of a watch, whose request is one of ctx.
func (r *response) watcher(ctx context.Context, cancel context.CancelCauseFunc) cache.Watcher {
	return &restWatcher{
		response: r,
		ctx:      ctx,
		cancel:   cancel,
		frames:   r.encoding.frames(r.body, r.limit),
	}
}

// inflated is the content of a body that is compressed with gzip.
type inflated struct {
	body io.ReadCloser
	// content is nil before the first Read: a watch may have no events for long.
	content *gzip.Reader
}

func (i *inflated) Read(p []byte) (n int, err error) {
	if i.content == nil {
		if i.content, err = gzip.NewReader(i.body); err != nil {
			return 0, err
		}
	}
	return i.content.Read(p)
}

func (i *inflated) Close() error { return i.body.Close() }
