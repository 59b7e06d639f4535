package cache

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// podAPI returns an API of pods, and a client's ListWatch of it.
func podAPI(names ...string) (*cachetest.API[*v1.Pod], *ListWatch) {
	pods := make([]*v1.Pod, len(names))
	for i, name := range names {
		pods[i] = pod("ns", name, "")
	}
	server := cachetest.NewServer()
	api := cachetest.ServeObjects(server, v1.SchemeGroupVersion.WithResource("pods"), pods...)
	client := corev1client.NewForConfigOrDie(&rest.Config{Transport: server, QPS: -1})
	return api, NewListWatchFromClient(client.RESTClient(), "pods", "", fields.Everything())
}

// A reflector without a name is named after the code that made it.
func TestReflectorName(t *testing.T) {
	_, lw := podAPI()
	if name := NewReflector(lw, &v1.Pod{}, NewStore(MetaNamespaceKeyFunc), 0).Name(); strings.Contains(name, "clientgo/cache/") || !strings.Contains(name, ".go:") {
		t.Errorf("name %q", name)
	}
	if name := NewNamedReflector("pods", lw, &v1.Pod{}, NewStore(MetaNamespaceKeyFunc), 0).Name(); name != "pods" {
		t.Errorf("name %q", name)
	}
}

// client-go's reflector fills an indexer of this package.
func TestNamespaceKeyedIndexerAndReflector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, lw := podAPI("a", "b")
		indexer, reflector := NewNamespaceKeyedIndexerAndReflector(lw, &v1.Pod{}, 0)
		stop := make(chan struct{})
		go reflector.Run(stop)
		synctest.Wait()
		keys, err := indexer.IndexKeys(NamespaceIndex, "ns")
		if err != nil {
			t.Fatal(err)
		}
		same(t, "keys", keys, []string{"ns/a", "ns/b"})
		if version := storeVersion(indexer); version != reflector.LastSyncResourceVersion() {
			t.Errorf("version %q, and %q of the reflector", version, reflector.LastSyncResourceVersion())
		}
		close(stop)
	})
}
