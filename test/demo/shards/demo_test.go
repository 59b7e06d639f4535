package main

import (
	"context"
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

// The demo, with fewer orders and shorter leases.
func TestDemo(t *testing.T) {
	var out strings.Builder
	err := run(t.Context(), &out, options{orders: 300, lease: 4 * time.Second, pause: 500 * time.Millisecond})
	t.Log("\n" + out.String())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Not handled: 0. By two at a time: 0. Slots with two owners: 0.") {
		t.Error("no result")
	}
}
