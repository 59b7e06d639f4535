package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestMain makes the program of the tests a replica, as main does.
func TestMain(m *testing.M) {
	if text := os.Getenv(replicaVariable); text != "" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		if err := runReplica(ctx, text); err != nil {
			fmt.Fprintln(os.Stderr, "replica:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// The demo, with fewer orders and shorter leases. A machine that is too busy to renew these gets longer ones.
func TestDemo(t *testing.T) {
	var out strings.Builder
	var err error
	for lease := 4 * time.Second; lease < 5*time.Minute; lease *= 4 {
		out.Reset()
		err = run(t.Context(), &out, options{orders: 300, lease: lease, pause: 500 * time.Millisecond})
		t.Logf("leases of %v:\n%s", lease, out.String())
		if !errors.Is(err, errUnequal) && !errors.Is(err, errUnhandled) {
			break
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Not handled: 0. By two at a time: 0. Slots with two owners: 0.") {
		t.Error("no result")
	}
}
