package source

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

var (
	pods    = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	widgets = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}
)

// Widget is a custom resource with the fields that are hard to decode.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   WidgetSpec   `json:"spec,omitempty"`
	Status WidgetStatus `json:"status,omitempty"`
}

type WidgetSpec struct {
	Size     int32                        `json:"size"`
	Big      int64                        `json:"big,omitempty"`
	Ratio    float64                      `json:"ratio,omitempty"`
	Port     intstr.IntOrString           `json:"port,omitempty"`
	Ports    []intstr.IntOrString         `json:"ports,omitempty"`
	Memory   *resource.Quantity           `json:"memory,omitempty"`
	Limits   map[string]resource.Quantity `json:"limits,omitempty"`
	Raw      runtime.RawExtension         `json:"raw,omitempty"`
	RawP     *runtime.RawExtension        `json:"rawP,omitempty"`
	Free     map[string]any               `json:"free,omitempty"`
	Any      any                          `json:"any,omitempty"`
	Data     map[string][]byte            `json:"data,omitempty"`
	Bytes    []byte                       `json:"bytes,omitempty"`
	Duration *metav1.Duration             `json:"duration,omitempty"`
	Micro    *metav1.MicroTime            `json:"micro,omitempty"`
	Nested   *WidgetSpec                  `json:"nested,omitempty"`
	List     []WidgetSpec                 `json:"list,omitempty"`
	Map      map[string]*WidgetSpec       `json:"map,omitempty"`
	Strings  []string                     `json:"strings,omitempty"`
	Flag     *bool                        `json:"flag,omitempty"`
	Pair     [2]int                       `json:"pair,omitempty"`
	Selector *metav1.LabelSelector        `json:"selector,omitempty"`
	Quoted   int                          `json:"quoted,omitempty,string"`
	Embedded `json:",inline"`
}

type Embedded struct {
	Deep string `json:"deep,omitempty"`
}

type WidgetStatus struct {
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	When       *metav1.Time       `json:"when,omitempty"`
}

// DeepCopyObject is slow, and enough for a test.
func (w *Widget) DeepCopyObject() runtime.Object {
	data, err := json.Marshal(w)
	if err != nil {
		panic(err)
	}
	out := new(Widget)
	if err := json.Unmarshal(data, out); err != nil {
		panic(err)
	}
	return out
}

// WidgetList is what client-go decodes a page of widgets into.
type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Widget `json:"items"`
}

func (w *WidgetList) DeepCopyObject() runtime.Object {
	out := *w
	return &out
}

const widgetJSON = `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"ns","uid":"u","resourceVersion":"7",
 "generation":2,"creationTimestamp":"2024-01-02T03:04:05Z","labels":{"a":"b"},"Labels":{"wrong":"case"},
 "managedFields":[{"manager":"m","operation":"Apply","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{".":{}}}}]},
 "spec":{"size":1,"size":2,"Size":9,"big":9007199254740993,"ratio":1e3,"port":80,"ports":["http",8080],"memory":"1.5Gi","limits":{"cpu":"100m","n":3},
 "raw":{"x":[1,2.50,null]},"rawP":null,"free":{"i":9007199254740993,"f":1.0,"neg":-3,"big":18446744073709551616,"n":null,"o":{"l":[1,"two",{"three":3}]}},
 "any":12,"data":{"k":"aGVsbG8="},"bytes":"","duration":"1h2m","micro":"2024-01-02T03:04:05.123456Z","nested":{"size":3,"any":[1,2]},
 "list":[{"size":1},null,{"size":2,"free":{}}],"map":{"a":null,"b":{"size":4}},"strings":["é","\ud800","\u0041"],"flag":true,"pair":[1,2,3],
 "selector":{"matchLabels":{"app":"x"},"matchExpressions":[{"key":"k","operator":"In","values":["v"]}]},"quoted":"12","deep":"d","unknown":{"deeply":["unknown"]}},
 "status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2024-01-02T03:04:05+02:00","reason":"r","message":""}],"when":null}}`

// podNamed returns a pod of about 4 KB of JSON.
func podNamed(name string) *corev1.Pod {
	at := metav1.NewTime(time.Unix(1700000000, 0))
	pod := &corev1.Pod{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: "default", UID: "0b9ee6a2-7c1c-4d1c-8e51-6d4d5f1ab8b7", ResourceVersion: "123456", CreationTimestamp: at,
			Labels:          map[string]string{"app": "shop", "pod-template-hash": "5d4f8c7b9"},
			Annotations:     map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "8080"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "shop-5d4f8c7b9", UID: "1-2-3"}},
			ManagedFields: []metav1.ManagedFieldsEntry{{
				Manager: "kubelet", Operation: "Update", APIVersion: "v1", Time: &at, FieldsType: "FieldsV1",
				FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{},"f:terminationMessagePath":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{}}}`)},
			}},
		},
		Spec: corev1.PodSpec{
			NodeName: "node-1", RestartPolicy: "Always", DNSPolicy: "ClusterFirst", SchedulerName: "default-scheduler", ServiceAccountName: "default",
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute"}},
		},
		Status: corev1.PodStatus{Phase: "Running", PodIP: "10.0.0.1", HostIP: "192.168.0.1", StartTime: &at},
	}
	for i := range 3 {
		name := fmt.Sprintf("container-%d", i)
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{
			Name: name, Image: "registry.example.com/shop/cart:v1.2.3", Args: []string{"--verbose", "--listen=:8080"},
			Env: []corev1.EnvVar{{Name: "MODE", Value: "production"}, {Name: "POD", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}}},
			Resources: corev1.ResourceRequirements{
				Limits:   corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("1Gi")},
				Requests: corev1.ResourceList{"cpu": resource.MustParse("50m"), "memory": resource.MustParse("512Mi")},
			},
			VolumeMounts:           []corev1.VolumeMount{{Name: "kube-api-access", MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
			LivenessProbe:          &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 10},
			TerminationMessagePath: "/dev/termination-log", ImagePullPolicy: "IfNotPresent",
		})
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: name, Ready: true, Image: "registry.example.com/shop/cart:v1.2.3", ImageID: "registry.example.com/shop/cart@sha256:abcdef0123456789",
			ContainerID: "containerd://0123456789abcdef", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}},
		})
	}
	for _, c := range []corev1.PodConditionType{"Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: c, Status: "True", LastTransitionTime: at})
	}
	return pod
}

// podList is a page as an API server sends it: items without a kind.
func podList(n int) *corev1.PodList {
	remaining := int64(3)
	list := &corev1.PodList{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"},
		ListMeta: metav1.ListMeta{ResourceVersion: "200", Continue: "more", RemainingItemCount: &remaining},
	}
	for i := range n {
		pod := podNamed(fmt.Sprintf("pod-%d", i))
		pod.TypeMeta = metav1.TypeMeta{}
		list.Items = append(list.Items, *pod)
	}
	return list
}

func mustJSON(tb testing.TB, v any) []byte {
	tb.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// serve starts an API server that answers each request with handler.
func serve(tb testing.TB, handler http.HandlerFunc) *rest.Config {
	tb.Helper()
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	return &rest.Config{Host: server.URL, QPS: -1}
}

// serveBody starts an API server that has one answer.
func serveBody(tb testing.TB, contentType, body string) *rest.Config {
	return serve(tb, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	})
}

func newClient(tb testing.TB, cfg *rest.Config) *Client {
	tb.Helper()
	client, err := NewClient(cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return client
}

// listAll collects what List calls each with.
func listAll[T any](tb testing.TB, src cache.Source[T], options metav1.ListOptions) (objects []T, objectErrors []error, meta metav1.ListMeta, err error) {
	tb.Helper()
	meta, err = src.List(tb.Context(), options, func(item any, err error) {
		obj, _ := item.(T)
		if err != nil {
			objectErrors = append(objectErrors, err)
			return
		}
		objects = append(objects, obj)
	})
	return objects, objectErrors, meta, err
}
