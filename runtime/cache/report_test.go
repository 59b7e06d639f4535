package cache

import (
	"context"
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
	"github.com/informer-gen/informer-gen/runtime/cache/internal/outage"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// What is wrong is logged once, also if a watch-list met it first, and once that all
// is well again.
func TestFailuresAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		logger := textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log)))
		options := &settings{}
		r := &reporter{name: &name{given: "things"}, about: &SourceInfo{}, options: options, recorder: &statusRecorder{}, outage: &outage.Reporter{}, backoff: protocol.NewBackoff(options.backoff(), options.jitter),
			afterFailure: func(context.Context, *Failure) {}, recovered: func() bool { return false }}
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
