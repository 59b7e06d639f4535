package cachetest

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// TestErrorsTakeNoTime: an error that apimachinery handles does not stop the
// clock of a bubble, whatever was handled outside.
func TestErrorsTakeNoTime(t *testing.T) {
	handle := func() { utilruntime.HandleErrorWithLogger(klog.Logger{}, errors.New("test"), "Testing") }
	handle()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		handle()
		handle()
		if took := time.Since(began); took != 0 {
			t.Errorf("errors took %v", took)
		}
	})
}
