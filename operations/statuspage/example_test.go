package statuspage_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/statuspage"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/generated/informers"
)

// The page of a generated factory, here over an API server in memory. A person opens it in a
// browser, and a script reads it as JSON.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	server := cachetest.NewServer()
	first := &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
	cachetest.ServeObjects(server, v1alpha1.GroupVersion.WithResource("orders"), first)
	client, err := source.NewClient(&rest.Config{Transport: server, QPS: -1})
	if err != nil {
		log.Fatal(err)
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	defer factory.Shutdown()
	defer stop()
	factory.Shop().V1alpha1().Orders().Informer()

	page := statuspage.New(factory, statuspage.Options{Title: "Shop"})
	go func() { _ = page.Run(ctx) }() // samples for the pictures
	mux := http.NewServeMux()
	mux.Handle("/debug/informers", page)

	factory.StartWithContext(ctx)
	if err := factory.WaitForSyncOrStuck(ctx); err != nil {
		log.Fatal(err)
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/debug/informers?format=json&key=default/first", nil))
	var data struct {
		Informers []struct{ Name, Phase string }
		Found     []struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &data); err != nil {
		log.Fatal(err)
	}
	fmt.Println(data.Informers)
	fmt.Println(data.Found)
	// Output:
	// [{orders.v1alpha1.shop.example.com watching}]
	// [{2}]
}
