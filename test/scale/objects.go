package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// population is objects of one size.
type population struct {
	// Class is a key of classes, and Objects how many there are.
	Class   string
	Objects int
	// Encoding is a media type.
	Encoding string
}

const (
	configMaps   = "config maps of 0.8 KB"
	replicaPods  = "pods of deployments"
	distinctPods = "pods without equal parts"
)

// object is the type of the informers' objects.
type object interface {
	metav1.Object
	runtime.Object
}

// resource is the name in the API.
func (p population) resource() string {
	if p.Class == configMaps {
		return "configmaps"
	}
	return "pods"
}

// firstVersion is the resourceVersion of the first object. The list's is higher by Objects.
const firstVersion = 1_000_000

func (p population) listVersion() string { return strconv.Itoa(firstVersion + p.Objects) }

func (p population) changeVersion(i int) string {
	return strconv.Itoa(firstVersion + p.Objects + 1 + i)
}

// object returns the i-th object, and change the i-th change of one.
func (p population) object(i int) object {
	if p.Class == configMaps {
		return configMap(i, strconv.Itoa(firstVersion+i))
	}
	return p.pods().Pod(i)
}

func (p population) change(i int) object {
	if p.Class == configMaps {
		return configMap(i*7919%p.Objects, p.changeVersion(i))
	}
	return p.pods().Change(i)
}

func (p population) pods() pods.Population {
	return pods.Population{Size: p.Objects, Distinct: p.Class == distinctPods}
}

// configMap returns a ConfigMap whose data has nothing in common with other ConfigMaps' data.
func configMap(i int, version string) *v1.ConfigMap {
	random := rand.New(rand.NewPCG(uint64(i), 2))
	data := map[string]string{"version": version}
	for key := range 8 {
		data[fmt.Sprintf("setting-%d", key)] = fmt.Sprintf("%016x%016x%016x", random.Uint64(), random.Uint64(), random.Uint64())
	}
	return &v1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: fmt.Sprintf("tenant-%d", i%1000), Name: fmt.Sprintf("settings-%d", i), UID: uid(random),
			ResourceVersion: version, Labels: map[string]string{"app": "settings", "tenant": fmt.Sprintf("tenant-%d", i%1000)},
			CreationTimestamp: metav1.Unix(1_772_000_000+int64(i), 0),
		},
		Data: data,
	}
}

// bookmark returns one that ends the changes.
func (p population) bookmark(version string) object {
	if p.Class == configMaps {
		return &v1.ConfigMap{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
	}
	return &v1.Pod{ObjectMeta: metav1.ObjectMeta{ResourceVersion: version}}
}

// uid returns a UID as API servers make them: of 122 random bits.
func uid(random *rand.Rand) types.UID {
	high, low := random.Uint64(), random.Uint64()
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-a%03x-%012x", high>>32, high>>16&0xffff, high&0xfff, low>>52, low&0xffff_ffff_ffff))
}

// list encodes objects as an API server does, all at once.
func (p population) list(objects []runtime.Object) ([]byte, error) {
	list := runtime.Object(&v1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: p.listVersion()}})
	if p.Class == configMaps {
		list = &v1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: p.listVersion()}}
	}
	if err := meta.SetList(list, objects); err != nil {
		return nil, err
	}
	var body bytes.Buffer
	err := scheme.Codecs.WithoutConversion().EncoderForVersion(p.serializer().Serializer, v1.SchemeGroupVersion).Encode(list, &body)
	return body.Bytes(), err
}

// event encodes a watch event.
func (p population) event(of watch.EventType, o object) ([]byte, error) {
	codecs, info := scheme.Codecs.WithoutConversion(), p.serializer()
	var frame bytes.Buffer
	frames := streaming.NewEncoder(
		info.StreamSerializer.Framer.NewFrameWriter(&frame),
		codecs.EncoderForVersion(info.StreamSerializer.Serializer, v1.SchemeGroupVersion))
	objects := codecs.EncoderForVersion(info.Serializer, v1.SchemeGroupVersion)
	err := restwatch.NewEncoder(frames, objects).Encode(&watch.Event{Type: of, Object: o})
	return frame.Bytes(), err
}

func (p population) serializer() runtime.SerializerInfo {
	info, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), p.Encoding)
	return info
}

// Format is the short name of the encoding.
func (p population) Format() string {
	if strings.HasSuffix(p.Encoding, "json") {
		return "JSON"
	}
	return "protobuf"
}
