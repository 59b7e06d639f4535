package source_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// slowList is a proxy that sorts the members of a list, and sends an item without a kind each pause.
type slowList struct{ pause time.Duration }

func (s slowList) RoundTrip(req *http.Request) (*http.Response, error) {
	body, out := io.Pipe()
	context.AfterFunc(req.Context(), func() { _ = out.CloseWithError(context.Cause(req.Context())) })
	go func() {
		if req.URL.Query().Get("watch") != "" {
			return
		}
		_, _ = io.WriteString(out, `{"apiVersion":"v1","items":[`)
		for i := range 10 {
			time.Sleep(s.pause)
			_, _ = fmt.Fprintf(out, `{"metadata":{"name":"w%d","resourceVersion":"%d"}},`, i, i+1)
		}
		_, _ = io.WriteString(out, `{"metadata":{"name":"last","resourceVersion":"11"}}],"kind":"WidgetList","metadata":{"resourceVersion":"11"}}`)
		_ = out.Close()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: req}, nil
}

// A sorted list of unstructured items is not idle while its items wait for its kind.
func TestSlowSortedListIsNotIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, err := source.NewClient(&rest.Config{Host: "http://memory", Transport: slowList{10 * time.Second}, QPS: -1})
		if err != nil {
			t.Fatal(err)
		}
		widgets := source.New[*unstructured.Unstructured](client, schema.GroupVersionResource{Version: "v1", Resource: "widgets"}, "")
		informer := cache.New(widgets, cache.Options[*unstructured.Unstructured]{ListWatch: cache.ListWatch{DisableWatchList: true, IdleTimeout: 30 * time.Second}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		limited, stop := context.WithTimeout(ctx, 10*time.Minute)
		defer stop()
		began := time.Now()
		if err := informer.WaitForSync(limited); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took != 100*time.Second || informer.Store().Len() != 11 {
			t.Errorf("%d objects after %v, want 11 after 100 s", informer.Store().Len(), took)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
