package references_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/references"
)

type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// An outage of a hundred names is a line when it begins and one when it ends.
func TestOutageIsLoggedOnce(t *testing.T) {
	for _, watches := range []int{100, -1} {
		for name, err := range map[string]error{"connection refused": cachetest.ErrConnectionRefused, "forbidden": cachetest.Status(403)} {
			t.Run(fmt.Sprint(name, ", watches: ", watches), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log lockedBuffer
					klog.SetLoggerWithOptions(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))), klog.ContextualLogger(true))
					defer klog.ClearLogger()
					set := references.NewSet()
					for i := range 100 {
						set.Add(names(fmt.Sprint("object-", i))...)
					}
					f := follow(t, set, references.Options{Watches: watches})
					time.Sleep(time.Minute)
					f.api.Fail(cachetest.Fault{Times: -1, Err: err})
					f.api.CloseWatches()
					time.Sleep(20 * time.Minute)
					f.api.ClearFaults()
					time.Sleep(20 * time.Minute)
					log.mu.Lock()
					defer log.mu.Unlock()
					if lines := strings.Count(log.text.String(), "\n"); lines != 2 {
						t.Errorf("%d lines, want 2:\n%.1000s", lines, log.text.String())
					}
				})
			})
		}
	}
}

// The end of an outage is logged, whichever names leave the set meanwhile.
func TestOutageEndsWithoutNamesThatLeft(t *testing.T) {
	for _, test := range []struct{ name, failing, leaves string }{
		{"the first of two", "one two", "one"},
		{"the second of two", "one two", "two"},
		{"the only one", "one", "one"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lockedBuffer
				klog.SetLoggerWithOptions(textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(&log))), klog.ContextualLogger(true))
				defer klog.ClearLogger()
				f := follow(t, references.NewSet(names("one", "two", "three")...), references.Options{})
				time.Sleep(time.Minute)
				f.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.ErrConnectionRefused, If: func(r cachetest.Request) bool {
					return slices.Contains(strings.Fields(test.failing), strings.TrimPrefix(r.Options.FieldSelector, "metadata.name="))
				}})
				f.api.CloseWatches()
				time.Sleep(5 * time.Minute)
				f.set.Remove(names(test.leaves)...)
				time.Sleep(time.Minute)
				f.api.ClearFaults()
				time.Sleep(20 * time.Minute)
				log.mu.Lock()
				defer log.mu.Unlock()
				if lines := strings.Count(log.text.String(), "\n"); lines != 2 || !strings.Contains(log.text.String(), "works again") {
					t.Errorf("%d lines, want 2:\n%.1000s", lines, log.text.String())
				}
			})
		})
	}
}
