// Package multigroup_test asks the generated informers of several groups for
// their objects and looks at what reaches the server.
package multigroup_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/source"
	storagev1 "github.com/informer-gen/informer-gen/testdata/multigroup/apis/storage/v1"
	"github.com/informer-gen/informer-gen/testdata/multigroup/generated/informers"
)

// server is an API server without objects. It keeps the paths it is asked for.
type server struct {
	mu    sync.Mutex
	paths map[string]bool
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.paths[r.URL.Path] = true
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if r.URL.Query().Get("watch") == "" {
		fmt.Fprint(w, `{"metadata":{"resourceVersion":"1"},"items":[]}`)
		return
	}
	fmt.Fprint(w, `{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}`, "\n")
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func TestPaths(t *testing.T) {
	t.Parallel()
	handler := &server{paths: map[string]bool{}}
	api := httptest.NewServer(handler)
	defer api.Close()
	client, err := source.NewClient(&rest.Config{Host: api.URL})
	if err != nil {
		t.Fatal(err)
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace("team"))
	factory.Networking().V1().Gateways().Informer()
	factory.Networking().V1().GatewayClasses().Informer()
	factory.Networking().V1beta1().Gateways().Informer()
	factory.Networking().V1beta1().Endpointses().Informer()
	factory.MeshPolicy().V1alpha1().Interfaces().Informer()
	factory.Storage().V1().Claims().Informer()
	factory.Storage().V1().Volumes().Informer()

	stop := make(chan struct{})
	factory.Start(stop)
	if err := factory.WaitForSync(t.Context()); err != nil {
		t.Error(err)
	}
	<-factory.Release(&storagev1.Volume{})
	if status := factory.Status(); len(status) != 6 || status[0].Name != "diskclaims.v1.storage.example.org" || !status[0].Synced {
		t.Errorf("status after a release: %v", status)
	}
	if err := factory.HealthCheck(time.Hour)(nil); err != nil {
		t.Error(err)
	}
	close(stop)
	factory.Shutdown()

	var got []string
	for path := range handler.paths {
		got = append(got, path)
	}
	slices.Sort(got)
	want := []string{
		"/apis/networking.example.org/v1/gatewayclasses",
		"/apis/networking.example.org/v1/namespaces/team/gateways",
		"/apis/networking.example.org/v1beta1/namespaces/team/endpointses",
		"/apis/networking.example.org/v1beta1/namespaces/team/gateways",
		"/apis/networking.mesh.example.org/v1alpha1/namespaces/team/interfaces",
		"/apis/storage.example.org/v1/namespaces/team/diskclaims",
		"/apis/storage.example.org/v1/volumes",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
