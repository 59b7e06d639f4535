package source

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decode"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// BenchmarkList decodes a page of 500 pods. The times are of one page.
func BenchmarkList(b *testing.B) {
	for _, contentType := range []string{jsonType, protoType} {
		body := encoded(b, contentType, podList(500))
		b.Run(contentType+"/ours", func(b *testing.B) {
			d := &decoder{codec: newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared()), limit: defaultMaxObjectBytes}
			list := d.jsonList
			if contentType == protoType {
				list = d.protoList
			}
			start(b, body)
			for b.Loop() {
				if _, err := list(struct{ io.Reader }{bytes.NewReader(body)}, func(any, error) {}); err != nil {
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
				w := benchWatcher(body)
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

func benchWatcher(body []byte) cache.Watcher {
	c := newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
	r := newResponse(io.NopCloser(struct{ io.Reader }{bytes.NewReader(body)}), decoder{codec: c, gv: pods.GroupVersion(), limit: defaultMaxObjectBytes})
	return r.watcher(context.Background(), func(error) {})
}

func start(b *testing.B, body []byte) {
	b.ReportAllocs()
	b.SetBytes(int64(len(body)))
}

// BenchmarkShare decodes 2,000 pods of 20 deployments, which nothing has seen before, and
// then an update of the status of each. The times are of one pod.
func BenchmarkShare(b *testing.B) {
	for _, contentType := range []string{jsonType, protoType} {
		encode := map[string]func(*corev1.Pod) []byte{
			jsonType: func(pod *corev1.Pod) []byte { return mustJSON(b, pod) },
			protoType: func(pod *corev1.Pod) []byte {
				message, err := pod.Marshal()
				if err != nil {
					b.Fatal(err)
				}
				return message
			},
		}[contentType]
		for _, shared := range []bool{true, false} {
			b.Run(fmt.Sprintf("%s/shared=%v", contentType, shared), func(b *testing.B) { benchmarkShare(b, contentType, encode, shared) })
		}
	}
}

func benchmarkShare(b *testing.B, contentType string, encode func(*corev1.Pod) []byte, shared bool) {
	const n = 2000
	var list, updates [][]byte
	for i := range n {
		pod := deployedPod(b, i)
		list = append(list, encode(pod))
		pod.ResourceVersion = fmt.Sprint(1_000_000 + i)
		pod.Status.Conditions[2].Status = corev1.ConditionFalse
		updates = append(updates, encode(pod))
	}
	fresh := func() *codec {
		if shared {
			return newCodec(reflect.TypeFor[*corev1.Pod](), decode.NewShared())
		}
		return newCodec(reflect.TypeFor[*corev1.Pod](), nil)
	}
	decodeAll := func(c *codec, texts [][]byte) []kruntime.Object {
		decode := func(text []byte) (kruntime.Object, error) { return c.fromText(text) }
		if contentType == protoType {
			decode = func(text []byte) (kruntime.Object, error) { return c.fromProto(text, decoding.Options{}) }
		}
		objects := make([]kruntime.Object, len(texts))
		for i, text := range texts {
			var err error
			if objects[i], err = decode(text); err != nil {
				b.Fatal(err)
			}
		}
		return objects
	}
	perPod := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/pod")
	}
	b.Run("list", func(b *testing.B) {
		for b.Loop() {
			decodeAll(fresh(), list)
		}
		perPod(b)
		b.ReportMetric(heapOf(func() any { return decodeAll(fresh(), list) })/n, "B/pod")
	})
	b.Run("update", func(b *testing.B) {
		c := fresh()
		kept := decodeAll(c, list)
		for b.Loop() {
			kept = decodeAll(c, updates)
		}
		perPod(b)
		runtime.KeepAlive(kept)
	})
}

// heapOf is what the heap holds of what make returns.
func heapOf(make func() any) float64 {
	used := func() float64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapAlloc)
	}
	before := used()
	made := make()
	after := used()
	runtime.KeepAlive(made)
	return after - before
}

// BenchmarkNew says what it costs to make a source.
func BenchmarkNew(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		_ = New[*corev1.Pod](nil, pods, metav1.NamespaceAll)
	}
}
