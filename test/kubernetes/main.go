// Kubernetes runs kube-controller-manager and kube-scheduler on informers and
// listers that informer-gen wrote, beside the same two programs as they are
// released, and compares what they do and what it costs:
//
//	make kubernetes                                         # about 20 minutes the first time
//	cd test/kubernetes && go run . -rounds 3                # more rounds: the table has medians
//	cd test/kubernetes && go run . -docs ../../docs/results/kubernetes.md
//
// No source of the two programs changes. Both builds use one copy of
// k8s.io/client-go; the second has an overlay that puts what informer-gen
// writes for k8s.io/api in the place of client-go's informers and listers.
//
// Each round starts a new etcd and kube-apiserver for each build, plays a
// kubelet for a few nodes, works through the same script, with outages of the
// API server, and checks milestones. Everything listens on 127.0.0.1 alone, and
// lies in the folder .work beside this file, logs included. All processes have
// ended when this one ends.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

func main() {
	rounds := flag.Int("rounds", 1, "run each build `n` times")
	objects := flag.Int("objects", 3000, "`number` of ConfigMaps and of Secrets that the cluster has from the beginning")
	docs := flag.String("docs", "", "write the comparison to `file` as well")
	only := flag.String("only", "", "run one `build` alone, stock or ours; it can't be combined with -docs")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *rounds, *objects, *docs, *only)
	if ctx.Err() != nil {
		err = errors.New("interrupted; all processes have ended")
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kubernetes:", err)
		os.Exit(1)
	}
}

// errMissed is the error of a run that did not reach a milestone: the comparison has been printed.
var errMissed = errors.New("milestones were not reached")

func run(ctx context.Context, rounds, objects int, docs, only string) error {
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%s: CPU and memory of processes are read from Linux's /proc", runtime.GOOS)
	}
	builds := []string{stock, ours}
	if only != "" {
		if docs != "" {
			return errors.New("-docs: needs both builds, and -only is set")
		}
		if !slices.Contains(builds, only) {
			return fmt.Errorf("-only: build %q is neither %s nor %s", only, stock, ours)
		}
		builds = []string{only}
	}
	space, err := openWorkspace(ctx)
	if err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	say("building six programs; the first time, this downloads their modules and takes about ten minutes")
	if err := space.build(ctx, builds); err != nil {
		return fmt.Errorf("build: %w", err)
	}
	c := comparison{kubernetes: space.kubernetes, libraries: space.libraries, objects: objects}
	for round := range rounds {
		for _, build := range builds {
			c.loads = append(c.loads, loadAverage())
			say("round %d of %d, %s", round+1, rounds, build)
			r, err := measure(ctx, space, build, objects, filepath.Join(space.dir, "runs", fmt.Sprintf("%s-%d", build, round+1)))
			if err != nil {
				return fmt.Errorf("%s: %w", build, err)
			}
			c.add(build, r)
		}
		// Rounds that follow may be interrupted.
		if docs != "" {
			if err := c.writeDocs(docs); err != nil {
				return err
			}
		}
	}
	c.write(os.Stdout)
	if c.missed() {
		return errMissed
	}
	return nil
}

var began = time.Now()

// say tells how far the program is.
func say(format string, args ...any) {
	fmt.Printf("%7s  %s\n", time.Since(began).Round(time.Second), fmt.Sprintf(format, args...))
}
