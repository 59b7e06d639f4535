package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"
)

// BenchmarkList decodes a page of 500 pods. The times are of one page.
func BenchmarkList(b *testing.B) {
	for _, contentType := range []string{jsonType, protoType} {
		body := encoded(b, contentType, podList(500))
		b.Run(contentType+"/ours", func(b *testing.B) {
			c := newCodec(reflect.TypeFor[*corev1.Pod]())
			list := c.jsonList
			if contentType == protoType {
				list = c.protoList
			}
			start(b, body)
			for b.Loop() {
				if _, err := list(struct{ io.Reader }{bytes.NewReader(body)}, DefaultMaxObjectBytes, func(any, error) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(contentType+"/client-go", func(b *testing.B) {
			info, _ := kruntime.SerializerInfoForMediaType(scheme.Codecs.WithoutConversion().SupportedMediaTypes(), contentType)
			decoder := scheme.Codecs.WithoutConversion().DecoderToVersion(info.Serializer, corev1.SchemeGroupVersion)
			start(b, body)
			for b.Loop() {
				data, err := io.ReadAll(bytes.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				if _, _, err := decoder.Decode(data, nil, new(corev1.PodList)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkWatch decodes 500 frames. The times are of all of them.
func BenchmarkWatch(b *testing.B) {
	const frames = 500
	for contentType, frame := range map[string]func(testing.TB, string, kruntime.Object) []byte{jsonType: jsonFrame, protoType: protoFrame} {
		var body []byte
		for i := range frames {
			body = append(body, frame(b, "ADDED", podNamed(fmt.Sprintf("pod-%d", i)))...)
		}
		b.Run(contentType+"/ours", func(b *testing.B) {
			start(b, body)
			for b.Loop() {
				w := benchWatcher(contentType, body)
				for range frames {
					if _, err := w.Next(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
		b.Run(contentType+"/client-go", func(b *testing.B) {
			codecs := scheme.Codecs.WithoutConversion()
			info, _ := kruntime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), contentType)
			decoder := codecs.DecoderToVersion(info.Serializer, corev1.SchemeGroupVersion)
			start(b, body)
			for b.Loop() {
				reader := info.StreamSerializer.Framer.NewFrameReader(io.NopCloser(bytes.NewReader(body)))
				w := restwatch.NewDecoder(streaming.NewDecoder(reader, info.StreamSerializer.Serializer), decoder)
				for range frames {
					if _, _, err := w.Decode(); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func benchWatcher(contentType string, body []byte) *restWatcher {
	var stream io.Reader = struct{ io.Reader }{bytes.NewReader(body)}
	w := &restWatcher{
		ctx: context.Background(), cancel: func(error) {}, body: io.NopCloser(stream), gv: pods.GroupVersion(),
		codec: newCodec(reflect.TypeFor[*corev1.Pod]()), frames: newJSONFrames(stream, DefaultMaxObjectBytes),
	}
	if contentType == protoType {
		w.frames = newProtoFrames(stream, DefaultMaxObjectBytes)
	}
	return w
}

func start(b *testing.B, body []byte) {
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
}

// BenchmarkNew says what it costs to make a source.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = New[*corev1.Pod](nil, pods, metav1.NamespaceAll)
	}
}
