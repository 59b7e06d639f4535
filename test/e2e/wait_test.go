package e2e

import (
	"context"
	"errors"
	"testing"
	"time"
)

// waitTimeout limits each wait of a test. No test measures it: it only turns a hang into a failure,
// also on a machine that is busy with other programs.
const waitTimeout = 5 * time.Minute

// withPatience is a context with that deadline. It outlives the test's context, which ends before
// cleanups begin: these wait as well.
func withPatience(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(t.Context()), waitTimeout, errors.New("the test timed out"))
	t.Cleanup(cancel)
	return ctx
}

// eventually asks until the condition holds, and fails the test with the last
// answer if it never does.
func eventually(t *testing.T, condition func() error) {
	t.Helper()
	ctx, tick := withPatience(t), time.NewTicker(10*time.Millisecond)
	defer tick.Stop()
	for {
		err := condition()
		if err == nil {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal(err)
		}
	}
}

// wantClosed waits for a channel to be closed.
func wantClosed(t *testing.T, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-withPatience(t).Done():
		t.Fatalf("%s: waited in vain", what)
	}
}
