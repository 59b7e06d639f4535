package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"
)

// encoding is a media type that pods come in, encoded as API servers do.
type encoding string

const (
	inJSON     = encoding(apiruntime.ContentTypeJSON)
	inProtobuf = encoding(apiruntime.ContentTypeProtobuf)
)

func (e encoding) String() string {
	if e == inProtobuf {
		return "protobuf"
	}
	return "json"
}

// streamType returns the content type of a watch.
func (e encoding) streamType() string {
	if e == inProtobuf {
		return string(e) + ";stream=watch"
	}
	return string(e)
}

// event returns a watch event.
func (e encoding) event(of watch.EventType, pod *v1.Pod) ([]byte, error) {
	codecs := scheme.Codecs.WithoutConversion()
	info, ok := apiruntime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), string(e))
	if !ok {
		return nil, fmt.Errorf("%s: no serializer", e)
	}
	var frame bytes.Buffer
	frames := streaming.NewEncoder(
		info.StreamSerializer.Framer.NewFrameWriter(&frame),
		codecs.EncoderForVersion(info.StreamSerializer.Serializer, v1.SchemeGroupVersion))
	objects := codecs.EncoderForVersion(info.Serializer, v1.SchemeGroupVersion)
	err := restwatch.NewEncoder(frames, objects).Encode(&watch.Event{Type: of, Object: pod})
	return frame.Bytes(), err
}

// initialEventsEnd returns the bookmark that ends the initial events of a watch-list.
func (e encoding) initialEventsEnd(version string) ([]byte, error) {
	return e.event(watch.Bookmark, &v1.Pod{ObjectMeta: metav1.ObjectMeta{
		ResourceVersion: version, Annotations: map[string]string{metav1.InitialEventsAnnotationKey: "true"},
	}})
}

// item returns a pod as an item of a list, which states the kind of its items once. In protobuf, the tag of
// the field and the length go before it; in JSON, a comma goes after it.
func (e encoding) item(pod *v1.Pod) ([]byte, error) {
	if e == inProtobuf {
		raw, err := pod.Marshal()
		const items = 2<<3 | lengthDelimited
		return append(binary.AppendUvarint([]byte{items}, uint64(len(raw))), raw...), err
	}
	text, err := json.Marshal(pod)
	return append(text, ','), err
}

// list returns the parts of a list. It is too large for a serializer, which takes all
// pods at once.
func (e encoding) list(version string, items [][]byte) ([][]byte, error) {
	metadata := metav1.ListMeta{ResourceVersion: version}
	if e == inJSON {
		meta, err := json.Marshal(metadata)
		head := fmt.Appendf(nil, `{"kind":"PodList","apiVersion":"v1","metadata":%s,"items":[`, meta)
		parts := append([][]byte{head}, items...)
		if last := len(parts) - 1; last > 0 {
			parts[last] = bytes.TrimSuffix(parts[last], []byte(","))
		}
		return append(parts, []byte("]}\n")), err
	}
	// Without items the serializer writes all that is around them: the magic number and
	// an envelope, whose field raw has the list, and then two empty fields.
	meta, err := (&v1.PodList{ListMeta: metadata}).Marshal()
	if err != nil {
		return nil, err
	}
	kind, err := (&apiruntime.TypeMeta{APIVersion: "v1", Kind: "PodList"}).Marshal()
	if err != nil {
		return nil, err
	}
	size := len(meta)
	for _, item := range items {
		size += len(item)
	}
	const typeMeta, raw, contentEncoding, contentType = 1<<3 | lengthDelimited, 2<<3 | lengthDelimited, 3<<3 | lengthDelimited, 4<<3 | lengthDelimited
	head := append([]byte("k8s\x00"), typeMeta, byte(len(kind)))
	head = append(head, kind...)
	head = binary.AppendUvarint(append(head, raw), uint64(size))
	parts := append([][]byte{append(head, meta...)}, items...)
	return append(parts, []byte{contentEncoding, 0, contentType, 0}), nil
}

// lengthDelimited is the wire type of strings and messages in protobuf.
const lengthDelimited = 2

// encodeAll encodes n of something, on all processors.
func encodeAll(n int, encode func(i int) ([]byte, error)) ([][]byte, error) {
	all := make([][]byte, n)
	var running errgroup.Group
	workers := runtime.GOMAXPROCS(0)
	for worker := range workers {
		running.Go(func() (err error) {
			for i := worker; i < n && err == nil; i += workers {
				all[i], err = encode(i)
			}
			return err
		})
	}
	return all, running.Wait()
}
