package cache

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// What an error names is the resource of the source, or that of the server's error, or the
// name of the informer.
func TestTargetOfASource(t *testing.T) {
	orders := schema.GroupVersionResource{Group: "shop.test", Version: "v1", Resource: "orders"}
	forbidden := apierrors.NewForbidden(orders.GroupResource(), "", errors.New("no role"))
	for _, c := range []struct {
		about SourceInfo
		err   error
		want  string
	}{
		{SourceInfo{}, errors.New("connection refused"), "of the options"},
		{SourceInfo{}, apierrors.NewUnauthorized("no token"), "of the options"},
		{SourceInfo{}, &apierrors.StatusError{ErrStatus: metav1.Status{Details: &metav1.StatusDetails{Group: "shop.test"}}}, "of the options"},
		{SourceInfo{}, fmt.Errorf("list: %w", forbidden), "orders.shop.test"},
		{SourceInfo{}, apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", nil), "pods"},
		{SourceInfo{}, apierrors.NewGenericServerResponse(http.StatusNotFound, "get", orders.GroupResource(), "", "", 0, false), "orders.shop.test"},
		{SourceInfo{Resource: orders}, forbidden, "orders.shop.test (version v1) in all namespaces"},
		{SourceInfo{Resource: orders, Namespace: "a"}, forbidden, `orders.shop.test (version v1) in namespace "a"`},
	} {
		r := &reporter{about: &c.about, options: &settings{Options: Options[any]{Name: "of the options"}}}
		if got := r.target(c.err); got != c.want {
			t.Errorf("%+v, %v: %s, want %s", c.about, c.err, got, c.want)
		}
	}
}

// A grant does not help who is not known.
func TestUnauthorizedIsNotForbidden(t *testing.T) {
	r := &reporter{about: &SourceInfo{}, options: &settings{Options: Options[any]{Name: "things"}}}
	err := r.explain(apierrors.NewUnauthorized("Unauthorized"))
	if !apierrors.IsUnauthorized(err) || strings.Contains(err.Error(), "RBAC") || !strings.Contains(err.Error(), "credentials") {
		t.Error(err)
	}
}

// What is wrong is logged once, also if a watch-list met it first, and once that all
// is well again.
func TestFailuresAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
		options := &settings{}
		r := &reporter{about: &SourceInfo{}, options: options, recorder: &statusRecorder{}, outage: &outage.Reporter{}, backoff: protocol.NewBackoff(options.backoff(), options.jitter)}
		ctx := klog.NewContext(t.Context(), logger)
		forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", errors.New("no"))
		r.reportEnd(ctx, protocol.State{Phase: protocol.Listing}, protocol.Streaming, fmt.Errorf("watch-list: %w", forbidden))
		for range 3 {
			if err := r.reportFailure(ctx, protocol.State{}, protocol.Listing, fmt.Errorf("list: %w", forbidden)); err != nil {
				t.Fatal(err)
			}
			r.reportEnd(ctx, protocol.State{Phase: protocol.Listing}, protocol.Streaming, fmt.Errorf("watch-list: %w", forbidden))
		}
		r.succeed(ctx)
		r.reportEnd(ctx, protocol.State{Phase: protocol.Listing}, protocol.Streaming, failure.ErrStreamEnded)
		r.succeed(ctx)
		got := log.String()
		if strings.Count(got, "\n") != 2 || !strings.Contains(got, "list: things is forbidden") || !strings.Contains(got, "works again") {
			t.Errorf("logged:\n%s", got)
		}
	})
}
