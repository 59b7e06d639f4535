package cache

import (
	"strings"
	"testing"
	"testing/synctest"

	v1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
)

// outlivePanics lets the process live after panics until the end of the test.
func outlivePanics(t *testing.T) {
	reallyCrash := utilruntime.ReallyCrash
	utilruntime.ReallyCrash = false
	t.Cleanup(func() { utilruntime.ReallyCrash = reallyCrash })
}

// bufferedLogger returns a logger, and what was logged with it.
func bufferedLogger(t *testing.T) (logger klog.Logger, logged func() string) {
	logger = ktesting.NewLogger(t, ktesting.NewConfig(ktesting.BufferLogs(true)))
	return logger, logger.GetSink().(ktesting.Underlier).GetBuffer().String
}

// What is logged about a handler, when it is added and later, goes to its logger.
func TestHandlerLogger(t *testing.T) {
	outlivePanics(t)
	synctest.Test(t, func(t *testing.T) {
		logger, logged := bufferedLogger(t)
		_, lw := podAPI("a")
		informer := NewSharedInformer(lw, &v1.Pod{}, 0)
		panics := ResourceEventHandlerFuncs{AddFunc: func(any) { panic("no room") }}
		period := minimumResyncPeriod
		if _, err := informer.AddEventHandlerWithOptions(panics, HandlerOptions{Logger: &logger, ResyncPeriod: &period}); err != nil {
			t.Fatal(err)
		}
		defer run(t, informer)()
		for _, want := range []string{"resync period is without effect", "no room"} {
			if !strings.Contains(logged(), want) {
				t.Errorf("%q is not in the log:\n%s", want, logged())
			}
		}
	})
}
