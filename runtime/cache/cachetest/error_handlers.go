package cachetest

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// The second of apimachinery's error handlers sleeps until a millisecond has
// passed since the last error. It keeps the time of that across bubbles of
// testing/synctest, where it is 2000 again: after an error outside of a bubble,
// the next one inside sleeps for decades of the bubble's time. A program that has
// set handlers of its own keeps them.
func init() {
	if len(utilruntime.ErrorHandlers) == 2 {
		utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1:1]
	}
}
