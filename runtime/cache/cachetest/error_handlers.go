package cachetest

import utilruntime "k8s.io/apimachinery/pkg/util/runtime"

// The second of apimachinery's error handlers sleeps until a millisecond has passed since the last error.
// It keeps that time across bubbles of testing/synctest, in which the year is 2000 again. So after an error
// outside of a bubble, the next error inside sleeps for decades of the bubble's time. A program that has
// set its own handlers keeps them.
func init() {
	if len(utilruntime.ErrorHandlers) == 2 {
		utilruntime.ErrorHandlers = utilruntime.ErrorHandlers[:1:1]
	}
}
