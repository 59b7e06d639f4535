// Shards shows replicas that divide the objects of a resource among them:
//
//	cd test && go run ./demo/shards
//
// It starts a real Kubernetes API server in this process, with the feature gate ShardedListAndWatch, and
// creates some thousand orders. It starts three replicas of a controller as processes of their own. While
// orders change, one replica is killed, one is stopped with SIGSTOP and continued later, and two are added.
// The network of one is cut for a while, all Leases are deleted, and one replica leaves in good order. A
// table shows meanwhile how much each replica owns.
//
// Each replica writes every step of its work to a file, with the time of the monotonic clock, which is the
// same for all processes. At the end the program compares the steps. Its exit status is 0 only if every
// order was handled, no two replicas handled one at a time, and no slot had two owners. The slots of the
// replica that was killed must have new owners in time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

var errInterrupted = errors.New("interrupted")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if text := os.Getenv(replicaVariable); text != "" {
		if err := runReplica(ctx, text); err != nil {
			fmt.Fprintln(os.Stderr, "replica:", err)
			os.Exit(1)
		}
		return
	}
	var o options
	flag.IntVar(&o.orders, "orders", 4000, "how many orders there are")
	flag.DurationVar(&o.lease, "lease", 8*time.Second, "the duration of the replicas' leases, in whole seconds")
	flag.DurationVar(&o.pause, "pause", 4*time.Second, "how long to look at the table between two events")
	flag.Parse()
	err := run(ctx, os.Stdout, o)
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, errInterrupted)
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
