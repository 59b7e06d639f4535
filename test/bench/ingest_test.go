package main

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"

	"github.com/informer-gen/informer-gen/test/bench/pods"
)

// Both sides hold, in every mode, the pods of the feed as they are after the last change.
func TestIngested(t *testing.T) {
	const size, events = 100, 150
	for _, mode := range ingestModes {
		f := feed{Pods: pods.Population{Size: size}, Events: events, WatchList: mode.watchList, Encoding: mode.encoding}
		want := map[string]*v1.Pod{}
		for i := range size {
			pod := f.Pods.Pod(i)
			want[pod.Namespace+"/"+pod.Name] = pod
		}
		for i := range events {
			pod := f.Pods.Change(i)
			want[pod.Namespace+"/"+pod.Name] = pod
		}
		handler, err := f.handler()
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(handler)
		t.Cleanup(server.Close)
		for name, i := range map[string]ingester{
			"client-go": {}, "here": {Ours: true},
			"manager": {Through: manager}, "manager-here": {Through: manager, Ours: true},
			"import": {Through: importLine}, "import-here": {Through: importLine, Ours: true},
			"clientset": {Through: clientset}, "clientset-here": {Through: clientset, Ours: true},
		} {
			t.Run(mode.String()+"/"+name, func(t *testing.T) {
				if before35 && !i.Ours {
					t.Skip("client-go before 0.35 does not tell lists and watch-lists apart")
				}
				i.Host, i.Feed, i.received = server.URL+"/"+name, f, new(atomic.Int64)
				featurestesting.SetFeatureDuringTest(t, features.WatchListClient, mode.watchList || i.Through == direct)
				informer, err := i.informer()
				if err != nil {
					t.Fatal(err)
				}
				result, err := i.measure(t.Context(), informer)
				if err != nil {
					t.Fatal(err)
				}
				if result.CPU <= 0 || result.EventCPU <= 0 || result.Heap <= 0 {
					t.Errorf("measured %+v", result)
				}
				got := map[string]*v1.Pod{}
				for _, obj := range informer.GetStore().List() {
					pod := obj.(*v1.Pod).DeepCopy()
					pod.TypeMeta = metav1.TypeMeta{} // client-go keeps that of some
					got[pod.Namespace+"/"+pod.Name] = pod
				}
				if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("pods: (-want +got)\n%s", diff)
				}
			})
		}
	}
}

// A client that does not read in the way that is to be measured is refused.
func TestFeedRefusal(t *testing.T) {
	f := feed{Pods: pods.Population{Size: 1}, WatchList: true, Encoding: inProtobuf}
	handler, err := f.handler()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		method, path, accept string
		code                 int
	}{
		"other encoding":  {http.MethodGet, "/a/api/v1/pods", string(inJSON), http.StatusNotAcceptable},
		"other list":      {http.MethodGet, "/b/api/v1/pods", string(inProtobuf), http.StatusInternalServerError},
		"no list at all":  {http.MethodPost, "/c/changes", "", http.StatusConflict},
		"other resources": {http.MethodGet, "/d/api/v1/nodes", string(inProtobuf), http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			request := httptest.NewRequestWithContext(t.Context(), c.method, c.path, nil)
			request.Header.Set("Accept", c.accept)
			response := httptest.NewRecorder()
			handler.ServeHTTP(response, request)
			if response.Code != c.code {
				t.Errorf("got %d %s, want %d", response.Code, response.Body, c.code)
			}
		})
	}
}
