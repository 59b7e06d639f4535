package cache

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func TestTargetOfASource(t *testing.T) {
	orders := schema.GroupVersionResource{Group: "shop.test", Version: "v1", Resource: "orders"}
	for _, c := range []struct {
		about SourceInfo
		want  string
	}{
		{SourceInfo{}, "of the options"},
		{SourceInfo{Resource: orders}, "orders.shop.test (version v1) in all namespaces"},
		{SourceInfo{Resource: orders, Namespace: "a"}, `orders.shop.test (version v1) in namespace "a"`},
	} {
		r := &reflector{about: &c.about, options: &settings{Options: Options[any]{Name: "of the options"}}}
		if got := r.target(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.about, got, c.want)
		}
	}
}

// A grant does not help who is not known.
func TestUnauthorizedIsNotForbidden(t *testing.T) {
	r := &reflector{about: &SourceInfo{}, options: &settings{Options: Options[any]{Name: "things"}}}
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
		r := &reflector{about: &SourceInfo{}, options: options, recorder: &statusRecorder{}, backoff: newBackoff(options.backoff(), options.jitter)}
		ctx := klog.NewContext(t.Context(), logger)
		forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "things"}, "", errors.New("no"))
		r.ended(ctx, state{phase: PhaseListing}, PhaseStreaming, fmt.Errorf("watch-list: %w", forbidden))
		for range 3 {
			if err := r.fail(ctx, state{}, PhaseListing, fmt.Errorf("list: %w", forbidden)); err != nil {
				t.Fatal(err)
			}
			r.ended(ctx, state{phase: PhaseListing}, PhaseStreaming, fmt.Errorf("watch-list: %w", forbidden))
		}
		r.succeed(ctx)
		r.ended(ctx, state{phase: PhaseListing}, PhaseStreaming, failure.ErrStreamEnded)
		r.succeed(ctx)
		got := log.String()
		if strings.Count(got, "\n") != 2 || !strings.Contains(got, "list: things is forbidden") || !strings.Contains(got, "works again") {
			t.Errorf("logged:\n%s", got)
		}
	})
}
