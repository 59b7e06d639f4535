package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// A list that is put together from its items is the same as client-go's serializer writes for all of them
// at once.
func TestEncodingList(t *testing.T) {
	for _, e := range []encoding{inJSON, inProtobuf} {
		for _, n := range []int{0, 1, 3} {
			whole := &v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []v1.Pod{}}
			var items [][]byte
			for i := range n {
				pod := pods.Population{Size: n}.Pod(i)
				whole.Items = append(whole.Items, *pod)
				item, err := e.item(pod)
				if err != nil {
					t.Fatal(err)
				}
				items = append(items, item)
			}
			parts, err := e.list("7", items)
			if err != nil {
				t.Fatal(err)
			}
			codecs := scheme.Codecs.WithoutConversion()
			info, _ := apiruntime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), string(e))
			want, err := apiruntime.Encode(codecs.EncoderForVersion(info.Serializer, v1.SchemeGroupVersion), whole)
			if err != nil {
				t.Fatal(err)
			}
			if got := bytes.Join(parts, nil); !bytes.Equal(got, want) {
				t.Errorf("%s, %d pods: (-want +got)\n%s", e, n, cmp.Diff(string(want), string(got)))
			}
		}
	}
}
