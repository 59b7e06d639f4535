package source

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// servePods serves a list of pods of one deployment, in both formats.
func servePods(t *testing.T, n int) func(w http.ResponseWriter, r *http.Request) {
	list := &corev1.PodList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}, ListMeta: metav1.ListMeta{ResourceVersion: "9000"}}
	for i := range n {
		list.Items = append(list.Items, *deployedPod(t, i))
	}
	bodies := map[string][]byte{jsonType: encoded(t, jsonType, list), protoType: encoded(t, protoType, list)}
	return func(w http.ResponseWriter, r *http.Request) {
		contentType := jsonType
		if r.URL.Query().Get("limit") == "1" { // so asks a test
			contentType = protoType
		}
		w.Header().Set("Content-Type", contentType)
		w.Write(bodies[contentType])
	}
}

// shares reports whether two pods have something in common that could be changed.
func shares(a, b *corev1.Pod) bool {
	return &a.Spec.Containers[0].Env[0] == &b.Spec.Containers[0].Env[0] || &a.Spec.Tolerations[0] == &b.Spec.Tolerations[0] || a.Spec.Affinity == b.Spec.Affinity
}

// anyShares reports whether two of the pods have something in common.
func anyShares(pods []*corev1.Pod) bool {
	for i, a := range pods {
		for _, b := range pods[i+1:] {
			if shares(a, b) {
				return true
			}
		}
	}
	return false
}

// Objects have in common what is equal, unless the request or the client says otherwise.
func TestSharing(t *testing.T) {
	cfg := serve(t, servePods(t, 50))
	for _, test := range []struct {
		name      string
		options   ClientOptions
		exclusive bool
		want      bool
	}{
		{"by default", ClientOptions{}, false, true},
		{"for who changes objects", ClientOptions{}, true, false},
		{"disabled", ClientOptions{DisableSharing: true}, false, false},
	} {
		for format, limit := range map[string]int64{"JSON": 0, "protobuf": 1} {
			t.Run(fmt.Sprint(test.name, "/", format), func(t *testing.T) {
				client, err := NewClientWithOptions(cfg, test.options)
				if err != nil {
					t.Fatal(err)
				}
				ctx := t.Context()
				if test.exclusive {
					ctx = decoding.With(ctx, decoding.Request{Options: decoding.Options{Exclusive: true}})
				}
				var got []*corev1.Pod
				if _, err := New[*corev1.Pod](client, pods, "").List(ctx, metav1.ListOptions{Limit: limit}, func(item any, _ error) {
					pod, _ := item.(*corev1.Pod)
					got = append(got, pod)
				}); err != nil {
					t.Fatal(err)
				}
				if len(got) != 50 {
					t.Fatalf("%d pods", len(got))
				}
				if anyShares(got) != test.want {
					t.Errorf("pods share memory: %v, want %v", !test.want, test.want)
				}
			})
		}
	}
}

// A transform may change all of an object: what it is given is part of no other.
func TestTransformOwnsObjects(t *testing.T) {
	client := newClient(t, serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("watch") == "true" {
			http.Error(w, "no watches here", http.StatusMethodNotAllowed)
			return
		}
		servePods(t, 50)(w, r)
	}))
	listed := func(options cache.Options[*corev1.Pod]) []*corev1.Pod {
		options.DisableWatchList = true
		informer := cache.New(New[*corev1.Pod](client, pods, ""), options)
		go func() { _ = informer.Run(t.Context()) }()
		if err := informer.WaitForSync(t.Context()); err != nil {
			t.Fatal(err)
		}
		return informer.Store().List()
	}
	before := listed(cache.Options[*corev1.Pod]{})
	changed := listed(cache.Options[*corev1.Pod]{Transform: func(pod *corev1.Pod) (*corev1.Pod, error) {
		pod.Labels["app.kubernetes.io/name"] = pod.Name
		pod.Spec.Containers[0].Env[0].Value = pod.Name
		pod.Spec.Tolerations[0].Key = pod.Name
		return pod, nil
	}})
	for _, pod := range changed {
		if pod.Labels["app.kubernetes.io/name"] != pod.Name || pod.Spec.Containers[0].Env[0].Value != pod.Name || pod.Spec.Tolerations[0].Key != pod.Name {
			t.Fatalf("transform of another object has changed pod %s", pod.Name)
		}
	}
	after := listed(cache.Options[*corev1.Pod]{})
	for _, pods := range [][]*corev1.Pod{before, after} {
		for _, pod := range pods {
			if pod.Spec.Tolerations[0].Key != "node.kubernetes.io/not-ready" || pod.Labels["app.kubernetes.io/name"] != "app-0" {
				t.Fatalf("transform of another informer has changed pod %s", pod.Name)
			}
		}
	}
}

// Managed fields that nobody wants are not asked for, and left out if they come.
func TestDropManagedFields(t *testing.T) {
	var accepted []string
	cfg := serve(t, func(w http.ResponseWriter, r *http.Request) {
		accepted = append(accepted, r.Header.Get("Accept"))
		servePods(t, 3)(w, r)
	})
	ctx := decoding.With(t.Context(), decoding.Request{Options: decoding.Options{DropManagedFields: true}})
	client := newClient(t, cfg)
	check := func(source string, limit int64, list func(metav1.ListOptions, func(metav1.Object, error)) error) {
		t.Helper()
		n := 0
		err := list(metav1.ListOptions{Limit: limit}, func(obj metav1.Object, err error) {
			n++
			if err != nil || len(obj.GetManagedFields()) != 0 || obj.GetName() == "" || len(obj.GetOwnerReferences()) != 1 {
				t.Errorf("%s: %v %v", source, obj, err)
			}
		})
		if err != nil || n != 3 {
			t.Errorf("%s: %d objects, %v", source, n, err)
		}
	}
	for _, limit := range []int64{0, 1} {
		check("typed", limit, func(options metav1.ListOptions, each func(metav1.Object, error)) error {
			_, err := New[*corev1.Pod](client, pods, "").List(ctx, options, func(item any, err error) {
				pod, _ := item.(*corev1.Pod)
				each(pod, err)
			})
			return err
		})
	}
	check("unstructured", 0, func(options metav1.ListOptions, each func(metav1.Object, error)) error {
		_, err := New[*unstructured.Unstructured](client, pods, "").List(ctx, options, func(item any, err error) {
			obj, _ := item.(*unstructured.Unstructured)
			each(obj, err)
		})
		return err
	})
	want := []string{
		protoType + ";drop=metadata.managedFields," + jsonType + ";drop=metadata.managedFields", protoType + ";drop=metadata.managedFields," + jsonType + ";drop=metadata.managedFields",
		jsonType + ";drop=metadata.managedFields",
	}
	if !slices.Equal(accepted, want) {
		t.Errorf("Accept: %q, want %q", accepted, want)
	}
}

// Where nothing is shared, a message costs what its own method Unmarshal costs.
func TestAllocationsWithoutSharing(t *testing.T) {
	message, err := deployedPod(t, 0).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	c := newCodec(reflect.TypeFor[*corev1.Pod](), nil)
	want := testing.AllocsPerRun(100, func() {
		if err := c.newObject().(protoMessage).Unmarshal(message); err != nil {
			t.Error(err)
		}
	})
	got := testing.AllocsPerRun(100, func() {
		if _, err := c.fromProto(message, decoding.Options{}); err != nil {
			t.Error(err)
		}
	})
	if got > want {
		t.Errorf("%v allocations, want the %v of Unmarshal", got, want)
	}
}
