package clients

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// newCodecs returns the codecs of a kind and its list, with a scheme of their own.
// Statuses and options are those of the core group, where no kind of an API has their
// names.
func newCodecs(kind schema.GroupVersionKind, object, list runtime.Object) *source.Codecs {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(kind, object)
	scheme.AddKnownTypeWithName(kind.GroupVersion().WithKind(kind.Kind+"List"), list)
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	return &source.Codecs{Serializer: serializer.NewCodecFactory(scheme).WithoutConversion(), Protobuf: isProtobuf(object)}
}

// isProtobuf reports whether an object can be decoded from protobuf, as those of
// k8s.io/api can.
func isProtobuf(object runtime.Object) bool {
	_, ok := object.(interface {
		Reset()
		Unmarshal(data []byte) error
	})
	return ok
}
