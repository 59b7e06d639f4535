package clients

import (
	"net/http"
	"reflect"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/gentype"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// Object is an API type: a pointer to a struct with TypeMeta and ObjectMeta.
type Object interface {
	runtime.Object
	metav1.Object
}

// Resource is a resource of an API server. T is the type of its objects, and L the type of their list. Keep
// a Resource in a variable: its clients share their codecs.
type Resource[T Object, L runtime.Object] struct {
	version schema.GroupVersion
	name    string
	codecs  func() *source.Codecs // made at the first use
}

// NewResource describes the resource of a kind. Its name is the plural in the API, such as orders. T and L
// are pointers to structs, and need not be registered in a scheme. NewResource is cheap.
func NewResource[T Object, L runtime.Object](kind schema.GroupVersionKind, name string) *Resource[T, L] {
	return &Resource[T, L]{version: kind.GroupVersion(), name: name, codecs: sync.OnceValue(func() *source.Codecs {
		return newCodecs(kind, newObject[T](), newObject[L]())
	})}
}

// Client returns the client of a namespace. "" stands for a resource without namespaces, or for all
// namespaces, in which objects can be listed and watched. Client sends nothing, and is cheap. If client is
// nil, each request fails.
func (r *Resource[T, L]) Client(client *source.Client, namespace string) *Client[T, L] {
	requests, err := client.RESTClient(r.version, r.codecs())
	if err != nil {
		requests, _ = refusing(err).RESTClient(r.version, r.codecs())
	}
	return &Client[T, L]{
		gentype.NewClientWithListAndApply[T, L, ApplyConfiguration](r.name, requests, metav1.ParameterCodec, namespace, newObject[T], newObject[L]),
		notes{client, schema.GroupResource{Group: r.version.Group, Resource: r.name}},
	}
}

// newObject returns an empty object. It uses reflect, so that all types share one copy of the compiled
// code.
func newObject[T runtime.Object]() T {
	return reflect.New(reflect.TypeFor[T]().Elem()).Interface().(T)
}

// refusing returns a connection whose requests all end with an error.
func refusing(err error) *source.Client {
	client, _ := source.NewClient(&rest.Config{Host: "http://none", Transport: refusal{err}}) // a config without a mistake
	return client
}

// refusal is a transport that sends nothing.
type refusal struct{ err error }

func (r refusal) RoundTrip(*http.Request) (*http.Response, error) { return nil, r.err }
