package source

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/informer-gen/informer-gen/runtime/internal/decode"
)

// Client is the connection to one API server. All its sources share one
// HTTP client with its connections, and one rate limiter. It is safe
// for concurrent use.
type Client struct {
	cfg        *rest.Config
	httpClient *http.Client
	maxObject  int64
	// shared has the parts that the objects of all sources have in common.
	shared *decode.Shared

	mu   sync.Mutex
	rest map[restKey]rest.Interface
}

// restKey says which REST clients are the same.
type restKey struct {
	gv     schema.GroupVersion
	codecs *Codecs
}

// ClientOptions are the options that a rest.Config lacks. The zero value works.
type ClientOptions struct {
	// MaxObjectBytes is the largest size, in bytes as received, of one object of a list,
	// or of one watch event. A larger one is not decoded: it is reported with
	// ErrTooLarge, and left out. Zero or negative is 16 MiB.
	MaxObjectBytes int64

	// DisableSharing gives each object memory of its own. By default what is equal in
	// objects of the client is held once, as the package comment says.
	DisableSharing bool
}

func (o ClientOptions) maxObject() int64 {
	if o.MaxObjectBytes <= 0 {
		return defaultMaxObjectBytes
	}
	return o.MaxObjectBytes
}

func (o ClientOptions) shared() *decode.Shared {
	if o.DisableSharing {
		return nil
	}
	return decode.NewShared()
}

// NewClient is NewClientWithOptions without options.
func NewClient(cfg *rest.Config) (*Client, error) {
	return NewClientWithOptions(cfg, ClientOptions{})
}

// NewClientWithOptions returns a client that connects as cfg says: address, TLS,
// authentication, impersonation, proxy, transport and its wrappers, timeout,
// user agent, rate limits (lists are limited, watches are not), warning
// handlers and content types. It copies cfg, and sends nothing.
//
// Lists, and watches that begin with all objects, come compressed from a server that does so, unless
// cfg.DisableCompression is set: about a tenth of the bytes. Other watches come as they are.
//
// If cfg has no ContentType and AcceptContentTypes, the type of the objects decides, see
// New. A config that is nil or contradicts itself is an error.
func NewClientWithOptions(cfg *rest.Config, options ClientOptions) (*Client, error) {
	return connect(cfg, options.maxObject(), options.shared())
}

func connect(cfg *rest.Config, maxObject int64, parts *decode.Shared) (*Client, error) {
	if cfg == nil {
		return nil, errors.New("rest config: is nil")
	}
	cfg = rest.CopyConfig(cfg)
	if cfg.UserAgent == "" {
		cfg.UserAgent = rest.DefaultKubernetesUserAgent()
	}
	if cfg.RateLimiter == nil {
		cfg.RateLimiter = rateLimiter(cfg.QPS, cfg.Burst)
	}
	if cfg.RateLimiter == nil {
		cfg.QPS = -1 // not the default of each REST client
	}
	if _, _, err := rest.DefaultServerUrlFor(cfg); err != nil {
		return nil, fmt.Errorf("rest config: %w", err)
	}
	shared, err := rest.HTTPClientFor(cfg)
	if err != nil {
		return nil, fmt.Errorf("rest config: %w", err)
	}
	httpClient := *shared
	httpClient.Transport = guard{next: shared.Transport}
	return &Client{
		cfg:        cfg,
		httpClient: &httpClient,
		maxObject:  maxObject,
		shared:     parts,
		rest:       map[restKey]rest.Interface{},
	}, nil
}

// Shared returns how many parts of objects were found instead of decoded, and how many bytes
// they had in responses: about half as many as they would take in memory.
func (c *Client) Shared() (parts, bytes uint64) {
	if c.shared == nil {
		return 0, 0
	}
	return c.shared.Saved()
}

// sharedObjects returns what the objects of all sources have in common, nil if nothing.
func (c *Client) sharedObjects() *decode.Shared {
	if c == nil {
		return nil
	}
	return c.shared
}

// rateLimiter reads qps and burst as client-go does: 0 is the default,
// and with a negative qps there is no limiter.
func rateLimiter(qps float32, burst int) flowcontrol.RateLimiter {
	if qps == 0 {
		qps = rest.DefaultQPS
	}
	if burst == 0 {
		burst = rest.DefaultBurst
	}
	if qps < 0 {
		return nil
	}
	return flowcontrol.NewTokenBucketRateLimiter(qps, burst)
}

// Codecs encode and decode the objects of a REST client.
type Codecs struct {
	// Serializer has the encoders and decoders by media type.
	Serializer runtime.NegotiatedSerializer
	// Object is an example of the objects. Those of a type with the methods Reset and Unmarshal
	// of k8s.io/api are requested in protobuf, unless the configuration names other content
	// types. Requests are JSON in any case: servers of custom resources accept nothing else.
	Object runtime.Object
}

// RESTClient returns a client of one group and version for requests that a Source does not send, such as
// writes. It shares connections, authentication and the rate limiter
// with all others of c, and is the same one for the same codecs: keep them in a
// variable. Typed clients are in runtime/clients. Possible errors: c is nil, or its config
// is invalid for a REST client.
func (c *Client) RESTClient(gv schema.GroupVersion, codecs *Codecs) (rest.Interface, error) {
	if c == nil {
		return nil, errors.New("client: is nil")
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := restKey{gv, codecs}
	if client, ok := c.rest[key]; ok {
		return client, nil
	}
	cfg := *c.cfg
	cfg.GroupVersion = &gv
	cfg.NegotiatedSerializer = codecs.Serializer
	cfg.APIPath = "/apis"
	if gv.Group == "" {
		cfg.APIPath = "/api"
	}
	cfg.ContentType, cfg.AcceptContentTypes = jsonType, c.accept(encodingsOf(reflect.TypeOf(codecs.Object)))
	client, err := rest.RESTClientForConfigAndClient(&cfg, c.httpClient)
	if err != nil {
		return nil, fmt.Errorf("rest client of %s: %w", gv, err)
	}
	c.rest[key] = client
	return client, nil
}

// restClient returns the client of one group and version for sources.
func (c *Client) restClient(gv schema.GroupVersion) (rest.Interface, error) {
	return c.RESTClient(gv, statusCodecs)
}

// statusCodecs decode the responses that are a status. This package decodes all
// others.
var statusCodecs = func() *Codecs {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return &Codecs{Serializer: serializer.NewCodecFactory(scheme).WithoutConversion()}
}()

// accept returns the content types to request, in order: the first one of the configuration
// that this package can decode into a type, and JSON in any case, since some resources have no
// other.
func (c *Client) accept(all encodings) string {
	wanted := cmp.Or(c.cfg.AcceptContentTypes, c.cfg.ContentType, all.String())
	for clause := range strings.SplitSeq(wanted, ",") {
		mediaType, _, _ := strings.Cut(clause, ";")
		switch e, err := all.of(strings.TrimSpace(mediaType)); {
		case err != nil:
		case e.contentType == jsonType:
			return jsonType
		default:
			return encodings{e, inJSON}.String()
		}
	}
	return jsonType
}

// guard is the transport of a client. It passes on no more than the beginning of a non-2xx response, which
// client-go reads into memory, and an error in place of the content of a response that can't be read.
type guard struct{ next http.RoundTripper }

func (g guard) RoundTrip(req *http.Request) (*http.Response, error) {
	next := g.next
	if next == nil {
		next = http.DefaultTransport
	}
	resp, err := next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	content := io.Reader(resp.Body)
	if err := unreadable(resp); err != nil {
		content = failing{undecodable(err)}
	} else if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	resp.Body = readCloser{io.LimitReader(content, maxErrorBytes), resp.Body}
	return resp, nil
}

// unreadable returns why the content of a response can't be read, nil if it can.
func unreadable(resp *http.Response) error {
	if resp.StatusCode == http.StatusPartialContent {
		return errors.New("status 206: is a part of the response")
	}
	switch encoding := resp.Header.Get("Content-Encoding"); encoding {
	case "", "identity", "gzip":
		return nil
	default:
		return fmt.Errorf("content encoding %q: not supported", encoding)
	}
}

// failing is a reader with an error.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// readCloser reads in one place and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// WrappedRoundTripper makes the transport below visible to
// k8s.io/apimachinery/pkg/util/net.
func (g guard) WrappedRoundTripper() http.RoundTripper { return g.next }
