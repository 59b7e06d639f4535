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
)

// response is that of a list or a watch, not yet decoded.
type response struct {
	body     io.ReadCloser
	protobuf bool
	codec    *codec
	// gv is that of the objects.
	gv schema.GroupVersion
	// limit is how many bytes of an object are buffered.
	limit int64
}

// newResponse returns the response of a body with a status of 2xx. It closes the body if it
// can't be decoded, and returns failure.ErrUndecodable.
func newResponse(body io.ReadCloser, about answer, codec *codec, gv schema.GroupVersion, limit int64) (_ *response, err error) {
	r := &response{body: connection{body}, codec: codec, gv: gv, limit: limit}
	if r.protobuf, err = about.protobuf(codec); err != nil {
		_ = body.Close()
		return nil, undecodable(err)
	}
	if about.contentEncoding == "gzip" { // of a proxy that compresses what is to be left alone
		r.body = &inflated{body: r.body}
	}
	return r, nil
}

// protobuf is whether the content is protobuf and not JSON, or an error if it is neither.
func (a *answer) protobuf(codec *codec) (bool, error) {
	switch a.contentEncoding {
	case "", "identity", "gzip":
	default:
		return false, fmt.Errorf("content encoding %q: not supported", a.contentEncoding)
	}
	if a.code == http.StatusPartialContent {
		return false, errors.New("status 206: is a part of the response")
	}
	if a.contentType == "" {
		return false, nil
	}
	mediaType, _, err := mime.ParseMediaType(a.contentType)
	switch {
	case err != nil:
		return false, fmt.Errorf("content type %q: %w", a.contentType, err)
	case mediaType == jsonType:
		return false, nil
	case mediaType == protoType && codec.protobuf:
		return true, nil
	case codec.protobuf:
		return false, fmt.Errorf("content type %q: not one of %s,%s", mediaType, protoType, jsonType)
	}
	return false, fmt.Errorf("content type %q: not one of %s", mediaType, jsonType)
}

// list decodes a list, and calls each while it arrives.
func (r *response) list(ctx context.Context, each func(any, error)) (meta metav1.ListMeta, err error) {
	if r.protobuf {
		meta, err = r.codec.protoList(r.body, r.limit, wantedOf(ctx), each)
	} else {
		meta, err = r.codec.jsonList(r.body, r.limit, wantedOf(ctx), each)
	}
	if err != nil {
		return metav1.ListMeta{}, ended(ctx, undecodable(err))
	}
	return meta, nil
}

func (r *response) close() { _ = r.body.Close() }

// watcher returns what decodes the events of a watch, whose request is one of ctx.
func (r *response) watcher(ctx context.Context, cancel context.CancelCauseFunc) cache.Watcher {
	w := &restWatcher{
		ctx:    ctx,
		cancel: cancel,
		body:   r.body,
		gv:     r.gv,
		codec:  r.codec,
		wanted: wantedOf(ctx),
	}
	if r.protobuf {
		w.frames = newProtoFrames(r.body, r.limit)
	} else {
		w.frames = newJSONFrames(r.body, r.limit)
	}
	return w
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
