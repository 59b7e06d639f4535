package cachetest

import (
	"cmp"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// Media types of bodies.
const (
	jsonType  = "application/json"
	yamlType  = "application/yaml"
	protoType = "application/vnd.kubernetes.protobuf"
)

// format is the encoding of objects in a response.
type format struct {
	protobuf bool
	// metadata reports whether only their metadata is encoded.
	metadata bool
}

// negotiate returns the format that a request accepts first. single reports whether the response is one
// object. Lists and watches are in JSON.
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

// encode encodes one object.
func (f format) encode(obj runtime.Object) ([]byte, error) {
	if _, isStatus := obj.(*metav1.Status); f.metadata && !isStatus {
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, apierrors.NewInternalError(err)
		}
		obj = meta.AsPartialObjectMetadata(m)
		obj.GetObjectKind().SetGroupVersionKind(partialKind)
	}
	var text []byte
	var err error
	if f.protobuf {
		text, err = runtime.Encode(protobufSerializer, obj)
	} else {
		text, err = json.Marshal(obj)
	}
	if err != nil {
		return nil, apierrors.NewInternalError(err)
	}
	return text, nil
}

// partialKind is the kind of an object that is sent with its metadata only.
var partialKind = metav1.SchemeGroupVersion.WithKind("PartialObjectMetadata")

// noTypes lets serializers decode into the objects that they get.
var noTypes = runtime.NewScheme()

var protobufSerializer = protobuf.NewSerializer(noTypes, noTypes)

// decoder returns the decoder of bodies of a media type. A strict decoder fails for fields that a type does
// not have.
func decoder(mediaType string, strict bool) runtime.Decoder {
	if mediaType == protoType {
		return protobufSerializer
	}
	options := jsonserializer.SerializerOptions{Yaml: mediaType == yamlType, Strict: strict}
	return jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, noTypes, noTypes, options)
}

// body is the body of a request that writes, and its media type.
type body struct {
	kind string
	text []byte
}

// readBody returns the body of a request, if it has one of the accepted types. The default type is JSON.
func readBody(r *http.Request, accepted []string) (body, error) {
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return body{}, apierrors.NewBadRequest(err.Error())
	}
	b := body{kind: cmp.Or(strings.TrimSpace(kind), jsonType), text: text}
	if (len(text) > 0 || r.Method == http.MethodPatch) && !slices.Contains(accepted, b.kind) {
		return body{}, statusError(http.StatusUnsupportedMediaType, metav1.StatusReasonUnsupportedMediaType,
			"the body of the request was in an unknown format - accepted media types include: "+strings.Join(accepted, ", "))
	}
	return b, nil
}

func statusError(code int32, reason metav1.StatusReason, message string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}}
}
