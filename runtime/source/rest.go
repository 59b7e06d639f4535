package source

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/features"
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
	return cache.Source[T]{Objects: client.Objects(reflect.TypeFor[T](), gvr, namespace)}
}

// Objects is New for objects of a type, which is a pointer, that is known by reflection. Each
// request of a nil client is an error.
func (c *Client) Objects(objects reflect.Type, gvr schema.GroupVersionResource, namespace string) cache.Objects {
	src := newRESTSource(objects, gvr, namespace, func() (getter, error) { return c.restClient(gvr.GroupVersion()) }, c.sharedObjects())
	src.info.Client = c
	if c != nil {
		src.accept, src.maxObject = c.accept, c.maxObject
	}
	return src
}

// getter begins requests, as the REST clients of client-go do.
type getter interface{ Get() *rest.Request }

// restSource sends its own requests for one resource, and decodes the responses.
type restSource struct {
	described
	// client returns the client that begins the requests.
	client func() (getter, error)
	codec  func() *codec
	// accept returns the content types to request of those that the objects can be decoded from; nil
	// leaves it to the client.
	accept    func(encodings) string
	maxObject int64
}

func newRESTSource(objects reflect.Type, gvr schema.GroupVersionResource, namespace string, client func() (getter, error), shared *decode.Shared) *restSource {
	return &restSource{
		described: described{cache.SourceInfo{
			Type:                    objects,
			Resource:                gvr,
			Namespace:               namespace,
			OrderedResourceVersions: true,
			Served:                  func(ctx context.Context) (bool, error) { return served(ctx, client, gvr) },
		}},
		client:    client,
		codec:     sync.OnceValue(func() *codec { return newCodec(objects, shared) }),
		maxObject: defaultMaxObjectBytes,
	}
}

// List sends one request, and calls each while the response arrives.
func (s *restSource) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	ctx, cancel := within(ctx, options)
	defer cancel()
	r, err := s.open(ctx, options)
	if err != nil {
		return metav1.ListMeta{}, ended(ctx, err)
	}
	defer r.close()
	return r.list(ctx, each)
}

// Watch sends the request, and returns when the server has accepted it.
func (s *restSource) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	options.Watch = true
	// The request ends with the watcher, so that Stop reaches a Next that
	// waits for bytes.
	inner, cancel := context.WithCancelCause(ctx)
	r, err := s.open(inner, options)
	if err != nil {
		cancel(nil)
		return nil, ended(ctx, err)
	}
	return r.watcher(inner, cancel), nil
}

// open sends a request and returns its response, if the status is 2xx.
func (s *restSource) open(ctx context.Context, options metav1.ListOptions) (*response, error) {
	codec := s.codec()
	if codec.object == nil {
		return nil, fmt.Errorf("type %v: is not a pointer to an API type", codec.pointer)
	}
	client, err := s.client()
	if err != nil {
		return nil, err
	}
	wants := decoding.From(ctx)
	request := client.Get().
		NamespaceIfScoped(s.info.Namespace, s.info.Namespace != "").
		Resource(s.info.Resource.Resource).
		SpecificallyVersionedParams(&options, metav1.ParameterCodec, schema.GroupVersion{Version: "v1"}).
		Timeout(timeoutOf(options)).
		MaxRetries(0)
	request = s.accepting(request, options.Watch, wants.Options)
	if options.Watch {
		// Watches are long, and one that waits for the rate limiter may miss events that the
		// server still has now.
		request = request.Throttle(nil)
		if !hasInitialEvents(options.SendInitialEvents) {
			request = request.SetHeader("Accept-Encoding", "identity")
		}
	}
	body, err := request.Stream(ctx)
	if err != nil {
		return nil, err
	}
	return newResponse(body, decoder{codec, s.info.Resource.GroupVersion(), s.maxObject, wants}), nil
}

// accepting says which content types a request accepts.
func (s *restSource) accepting(request *rest.Request, watch bool, how decoding.Options) *rest.Request {
	codec := s.codec()
	switch {
	case s.accept != nil:
		return request.SetHeader("Accept", codec.accept(s.accept(codec.encodings), watch, how))
	case features.FeatureGates().Enabled(features.ClientsPreferCBOR):
		return request.SetHeader("Accept", codec.encodings.String())
	case len(codec.encodings) > 1:
		return request.UseProtobufAsDefault() // unless the configuration of the client says otherwise
	}
	return request
}

// hasInitialEvents reports whether a watch has so many events at once that they are better
// compressed, as servers of 1.37 do: a twentieth of the bytes. Who compresses the events of any
// other watch does it for each alone, and to inflate one takes longer than to decode it.
func hasInitialEvents(send *bool) bool { return send != nil && *send }

// within returns a context that ends with the timeout of a list.
func within(ctx context.Context, options metav1.ListOptions) (context.Context, context.CancelFunc) {
	if timeout := timeoutOf(options); timeout > 0 {
		return context.WithTimeout(ctx, timeout)
	}
	return context.WithCancel(ctx)
}

func timeoutOf(options metav1.ListOptions) time.Duration {
	if options.TimeoutSeconds == nil {
		return 0
	}
	return time.Duration(*options.TimeoutSeconds) * time.Second
}
