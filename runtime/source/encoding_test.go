package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor"
	"k8s.io/apimachinery/pkg/runtime/serializer/cbor/direct"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// inCBOR is what another encoding takes: this file and a place among the encodings of a type.
var inCBOR = encoding{"application/cbor", beginsCBOR, cborList, newCBORFrames, cborObject, cborMetadata}

// beginsCBOR reports whether a response begins with a map.
func beginsCBOR(begin []byte, _ bool) bool { return begin[0]>>5 == 5 }

func cborList(d *decoder, body io.Reader, each func(any, error)) (metav1.ListMeta, error) {
	text, err := io.ReadAll(io.LimitReader(body, d.limit))
	if err != nil {
		return metav1.ListMeta{}, err
	}
	var list struct {
		metav1.TypeMeta `json:",inline"`

		Metadata metav1.ListMeta  `json:"metadata"`
		Items    []map[string]any `json:"items"`
	}
	if err := direct.Unmarshal(text, &list); err != nil {
		return metav1.ListMeta{}, err
	}
	for _, item := range list.Items {
		text, _ := direct.Marshal(item)
		if in := (frame{object: text}); d.wants.Wanted == nil || d.has(cborMetadata(in)) {
			obj, _, err := cborObject(d, in)
			each(obj, err)
		}
	}
	return list.Metadata, d.check(arrived{head: runtime.TypeMeta{APIVersion: list.APIVersion, Kind: list.Kind}, items: list.Items != nil, count: len(list.Items)})
}

type cborFrames struct{ io.ReadCloser }

func newCBORFrames(body io.Reader, _ int64) frames {
	return cborFrames{cbor.NewFramer().NewFrameReader(io.NopCloser(body))}
}

func (f cborFrames) next() (frame, error) {
	text := make([]byte, 1<<10)
	n, err := f.Read(text)
	if err != nil {
		return frame{}, err
	}
	var event struct {
		Type   watch.EventType `json:"type"`
		Object map[string]any  `json:"object"`
	}
	if err := direct.Unmarshal(text[:n], &event); err != nil {
		return frame{}, err
	}
	object, err := direct.Marshal(event.Object)
	return frame{event: event.Type, object: object}, err
}

func cborObject(d *decoder, in frame) (runtime.Object, schema.GroupVersionKind, error) {
	obj := d.codec.newObject()
	var content any = obj
	if u, ok := obj.(*unstructured.Unstructured); ok {
		content = &u.Object
	}
	if err := direct.Unmarshal(in.object, content); err != nil {
		return nil, schema.GroupVersionKind{}, &failure.ObjectError{Err: err}
	}
	return obj, obj.GetObjectKind().GroupVersionKind(), nil
}

func cborMetadata(in frame) (decode.Metadata, bool) {
	var u unstructured.Unstructured
	err := direct.Unmarshal(in.object, &u.Object)
	return decode.Metadata{UID: []byte(u.GetUID()), Namespace: []byte(u.GetNamespace()), ResourceVersion: []byte(u.GetResourceVersion())}, err == nil
}

func widget(name string) map[string]any {
	u := unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"size": int64(3)}}}
	u.SetAPIVersion(widgets.GroupVersion().String())
	u.SetKind("Widget")
	u.SetNamespace("default")
	u.SetName(name)
	u.SetUID(types.UID(name))
	return u.Object
}

func inCBORText(t *testing.T, values ...any) (text []byte) {
	t.Helper()
	for _, v := range values {
		one, err := direct.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, one...)
	}
	return text
}

// An encoding that nothing else knows: its lists, watches, objects, metadata and errors are
// those of any other.
func TestAnotherEncoding(t *testing.T) {
	codec := newCodec(reflect.TypeFor[*unstructured.Unstructured](), decode.NewShared())
	codec.encodings = append(encodings{inCBOR}, codec.encodings...)
	client := newClient(t, &rest.Config{Host: "h"})
	if got, want := client.accept(codec.encodings), "application/cbor,application/json"; got != want {
		t.Errorf("accepts %s, want %s", got, want)
	}
	respond := func(text []byte) *response {
		t.Helper()
		return newResponse(io.NopCloser(bytes.NewReader(text)), decoder{codec, widgets.GroupVersion(), 1 << 20, decoding.Request{Wanted: func(uid, _, _ []byte) bool { return string(uid) != "b" }}})
	}
	ctx := t.Context()

	var names []string
	list := map[string]any{"kind": "WidgetList", "apiVersion": "example.com/v1", "metadata": map[string]any{"resourceVersion": "7"}, "items": []any{widget("a"), widget("b"), widget("c")}}
	meta, err := respond(inCBORText(t, list)).list(ctx, func(obj any, err error) { names = append(names, fmt.Sprint(nameOf(obj.(runtime.Object)), err)) })
	if want := []string{"default/a<nil>", "default/c<nil>"}; err != nil || meta.ResourceVersion != "7" || !slices.Equal(names, want) {
		t.Errorf("listed %v at %q, %v; want %v", names, meta.ResourceVersion, err, want)
	}

	event := func(typ watch.EventType, object any) any {
		return map[string]any{"type": string(typ), "object": object}
	}
	w := respond(inCBORText(t, event(watch.Added, widget("a")), event(watch.Modified, widget("b")), event(watch.Deleted, widget("c")), event(watch.Error, expired()))).watcher(ctx, context.CancelCauseFunc(func(error) {}))
	for _, want := range []string{"ADDED default/a", "DELETED default/c"} {
		if event, err := w.Next(); err != nil || fmt.Sprint(event.Type, " ", nameOf(event.Object.(runtime.Object))) != want {
			t.Errorf("event %v, %v; want %s", event, err, want)
		}
	}
	if _, err := w.Next(); !apierrors.IsResourceExpired(err) {
		t.Errorf("error %v", err)
	}
	if _, err := w.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("end %v", err)
	}
}
