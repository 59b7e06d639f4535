package cachetest

import (
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Media types of bodies.
const (
	jsonType  = "application/json"
	yamlType  = "application/yaml"
	protoType = "application/vnd.kubernetes.protobuf"
)

// format is the encoding of objects in an answer.
type format struct {
	protobuf bool
	// metadata says that only their metadata is.
	metadata bool
}

// negotiate returns the format that a request accepts first; single says that
// the answer is one object. Lists and watches come in JSON.
func negotiate(r *http.Request, single, protobuf bool) (format, error) {
	accept := strings.Join(r.Header.Values("Accept"), ",")
	if strings.TrimSpace(accept) == "" {
		return format{}, nil
	}
	for clause := range strings.SplitSeq(accept, ",") {
		kind, parameters, err := mime.ParseMediaType(strings.TrimSpace(clause))
		if err != nil {
			continue
		}
		f := format{
			protobuf: kind == protoType,
			metadata: strings.HasPrefix(parameters["as"], "PartialObjectMetadata") && parameters["g"] == metav1.GroupName && parameters["v"] == "v1",
		}
		known := slices.Contains([]string{jsonType, "application/*", "*/*"}, kind) || f.protobuf && single && (protobuf || f.metadata)
		if known && (f.metadata || parameters["as"] == "") {
			return f, nil
		}
	}
	accepted := []string{jsonType}
	if protobuf && single {
		accepted = append(accepted, protoType)
	}
	return format{}, statusError(http.StatusNotAcceptable, metav1.StatusReasonNotAcceptable,
		"only the following media types are accepted: "+strings.Join(accepted, ", "))
}

func (f format) contentType() string {
	if f.protobuf {
		return protoType
	}
	return jsonType
}

// encode writes one object.
func (f format) encode(obj runtime.Object) ([]byte, error) {
	if f.metadata {
		if _, isStatus := obj.(*metav1.Status); !isStatus {
			partial, err := onlyMetadata(obj)
			if err != nil {
				return nil, apierrors.NewInternalError(err)
			}
			obj = partial
		}
	}
	var text []byte
	var err error
	if f.protobuf {
		text, err = marshalProtobuf(obj)
	} else {
		text, err = json.Marshal(obj)
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return text, nil
}

// onlyMetadata returns what a client gets that asks for metadata.
func onlyMetadata(obj runtime.Object) (*metav1.PartialObjectMetadata, error) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil, err
	}
	partial := meta.AsPartialObjectMetadata(m)
	partial.SetGroupVersionKind(metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata"))
	return partial, nil
}

// body is the body of a request that writes, and its media type.
type body struct {
	kind string
	text []byte
}

// mediaType returns the media type of the body of a request, without its
// parameters. The default is JSON.
func mediaType(r *http.Request) string {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	if kind = strings.TrimSpace(kind); kind == "" {
		return jsonType
	}
	return kind
}

// requireMediaType refuses a body of a type that is not one of those accepted.
func requireMediaType(kind string, accepted []string) error {
	if slices.Contains(accepted, kind) {
		return nil
	}
	return statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
		fmt.Sprintf("the body of the request was in an unknown format - accepted media types include: %s", strings.Join(accepted, ", ")))
}

func statusError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}}
}
