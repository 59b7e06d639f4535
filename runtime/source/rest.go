package source

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// New returns the source of one resource, in one namespace or with "" in all, or
// of a cluster-scoped one. It sends nothing, and is cheap to call.
//
// T is a pointer to the Go type of an object of that group and version. Objects are
// decoded from JSON as by client-go. A type with the methods Reset and Unmarshal of
// k8s.io/api is requested in protobuf. For *metav1.PartialObjectMetadata the server sends the
// metadata of objects and nothing else, of any resource.
func New[T runtime.Object](client *Client, gvr schema.GroupVersionResource, namespace string) cache.Source[T] {
	return typedOf[T](NewUntyped(reflect.TypeFor[T](), client, gvr, namespace))
}

// NewUntyped is New for objects of a type that is known at run time: a pointer. Code that
// is generated for many types is compiled in less time with it.
func NewUntyped(pointer reflect.Type, client *Client, gvr schema.GroupVersionResource, namespace string) cache.Source[any] {
	codecs := map[decoding.Options]func() *codec{}
	for _, options := range []decoding.Options{{}, {Exclusive: true}, {DropManagedFields: true}, {Exclusive: true, DropManagedFields: true}} {
		codecs[options] = sync.OnceValue(func() *codec { return newCodec(pointer, client.sharedObjects(), options) })
	}
	return &restSource{
		described: described{cache.SourceInfo{
			Resource:                gvr,
			Namespace:               namespace,
			OrderedResourceVersions: true,
			Served:                  func(ctx context.Context) (bool, error) { return client.served(ctx, gvr) },
		}},
		client: client,
		codecs: codecs,
	}
}

type restSource struct {
	described
	client *Client
	// codecs are made when they are needed.
	codecs map[decoding.Options]func() *codec
}

// List sends one request, and calls each while the response arrives.
func (s *restSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	if timeout := timeoutOf(options); timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		defer cancel()
	}
	codec := s.codecs[decoding.From(ctx)]()
	body, mediaType, err := s.open(ctx, codec, options)
	if err != nil {
		return metav1.ListMeta{}, ended(ctx, err)
	}
	defer func() { _ = body.Close() }()

	var meta metav1.ListMeta
	switch {
	case mediaType == protoType && codec.protobuf:
		meta, err = codec.protoList(body, s.client.maxObject, wantedOf(ctx, decode.ProtoMetadata), each)
	case mediaType == jsonType:
		meta, err = codec.jsonList(body, s.client.maxObject, wantedOf(ctx, decode.JSONMetadata), each)
	default:
		err = s.unexpected(codec, mediaType)
	}
	if err != nil {
		return metav1.ListMeta{}, ended(ctx, undecodable(err))
	}
	return meta, nil
}

// Watch sends the request, and returns when the server has accepted it.
func (s *restSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[any], error) {
	options.Watch = true
	// The request ends with the watcher, so that Stop reaches a Next that
	// waits for bytes.
	inner, cancel := context.WithCancelCause(ctx)
	codec := s.codecs[decoding.From(ctx)]()
	body, mediaType, err := s.open(inner, codec, options)
	if err != nil {
		cancel(nil)
		return nil, ended(ctx, err)
	}
	w := &restWatcher{
		wantedJSON:  wantedOf(ctx, decode.JSONMetadata),
		wantedProto: wantedOf(ctx, decode.ProtoMetadata),
		ctx:         inner,
		cancel:      cancel,
		body:        body,
		gv:          s.info.Resource.GroupVersion(),
		codec:       codec,
	}
	switch {
	case mediaType == protoType && codec.protobuf:
		w.frames = newProtoFrames(body, s.client.maxObject)
	case mediaType == jsonType:
		w.frames = newJSONFrames(body, s.client.maxObject)
	default:
		w.Stop()
		return nil, undecodable(s.unexpected(codec, mediaType))
	}
	return w, nil
}

// unexpected is the error for a response in a content type that was not requested.
func (s *restSource) unexpected(codec *codec, mediaType string) error {
	return fmt.Errorf("content type %q: not one of %s", mediaType, s.client.accept(codec.protobuf))
}

// open sends a request and returns the body and media type of its response, if the
// status is 2xx.
func (s *restSource) open(ctx context.Context, codec *codec, options metav1.ListOptions) (io.ReadCloser, string, error) {
	if err := codec.validate(); err != nil {
		return nil, "", err
	}
	client, err := s.client.restClient(s.info.Resource.GroupVersion())
	if err != nil {
		return nil, "", err
	}
	var answer answer
	request := client.Get().
		NamespaceIfScoped(s.info.Namespace, s.info.Namespace != "").
		Resource(s.info.Resource.Resource).
		SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
		Timeout(timeoutOf(options)).
		SetHeader("Accept", codec.accept(s.client.accept(codec.protobuf), options.Watch)).
		MaxRetries(0)
	if options.Watch {
		// A server that compresses does it for each event, and to inflate one takes longer
		// than to decode it.
		request = unlimited(request).SetHeader("Accept-Encoding", "identity")
	}
	body, err := request.Stream(context.WithValue(ctx, answerKey{}, &answer))
	if err != nil {
		return nil, "", err
	}
	body = connection{body}
	switch answer.contentEncoding {
	case "", "identity":
	case "gzip": // of a proxy that compresses what is to be left alone
		body = &inflated{body: body}
	default:
		_ = body.Close()
		return nil, "", undecodable(fmt.Errorf("content encoding %q: not supported", answer.contentEncoding))
	}
	if answer.code == http.StatusPartialContent {
		_ = body.Close()
		return nil, "", undecodable(errors.New("status 206: is a part of the response"))
	}
	if answer.contentType == "" {
		return body, jsonType, nil
	}
	mediaType, _, err := mime.ParseMediaType(answer.contentType)
	if err != nil {
		_ = body.Close()
		return nil, "", undecodable(fmt.Errorf("content type %q: %w", answer.contentType, err))
	}
	return body, mediaType, nil
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

// unlimited exempts a request from rate limiting: watches are long, and one that has
// to wait may miss events that the server still has now.
func unlimited(request *rest.Request) *rest.Request { return request.Throttle(nil) }

func timeoutOf(options metav1.ListOptions) time.Duration {
	if options.TimeoutSeconds == nil {
		return 0
	}
	return time.Duration(*options.TimeoutSeconds) * time.Second
}
