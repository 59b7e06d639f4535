package e2e

import (
	"fmt"
	"mime"
	"net/http"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/metadatainformer"
)

// contentTypes notes the content types of responses.
type contentTypes struct {
	next http.RoundTripper

	mu  sync.Mutex
	all map[string]int
}

func (c *contentTypes) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err == nil {
		mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
		c.mu.Lock()
		c.all[mediaType]++
		c.mu.Unlock()
	}
	return response, err
}

// An API server sends the metadata of custom resources alone, and in protobuf. One that
// does not know how to drop managed fields takes the request all the same.
func TestMetadataOnly(t *testing.T) {
	cfg, client := playground(t, orders)
	objects := orders.client(client, "metadata")
	for i, name := range []string{"a", "b"} {
		if _, err := objects.Create(t.Context(), orders.object("metadata", name, i), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	seen := &contentTypes{all: map[string]int{}}
	cfg = rest.CopyConfig(cfg)
	cfg.ContentType = "" // the default
	cfg.Wrap(func(next http.RoundTripper) http.RoundTripper { seen.next = next; return seen })
	factory := metadatainformer.NewForClient(newClient(t, cfg), metadatainformer.Options{
		Namespace: "metadata",
		ListWatch: cache.ListWatch{DropManagedFields: true},
	})
	defer factory.Shutdown()
	informer := factory.ForResource(orders.gvr()).Informer()
	updated := make(chan *metav1.PartialObjectMetadata, 1)
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{UpdateFunc: func(_, obj any) { updated <- obj.(*metav1.PartialObjectMetadata) }}); err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(t.Context())
	if err := factory.WaitForSync(withPatience(t)); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() error { // the list is of the server's watch cache, which may be behind
		if n := len(informer.GetStore().ListKeys()); n != 2 {
			return fmt.Errorf("%d objects", n)
		}
		return nil
	})
	for _, obj := range informer.GetStore().List() {
		if m := obj.(*metav1.PartialObjectMetadata); len(m.ManagedFields) != 0 {
			t.Errorf("%s has managed fields", m.Name)
		}
	}
	changed, err := objects.Get(t.Context(), "a", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changed.SetLabels(map[string]string{"changed": "yes"})
	if _, err := objects.Update(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if obj := <-updated; obj.Name != "a" || obj.Labels["changed"] != "yes" {
		t.Errorf("updated: %+v", obj)
	}
	seen.mu.Lock()
	defer seen.mu.Unlock()
	if len(seen.all) != 1 || seen.all["application/vnd.kubernetes.protobuf"] == 0 {
		t.Errorf("content types of responses: %v, want protobuf", seen.all)
	}
}
