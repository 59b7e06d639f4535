// Demo shows informer-gen from API types to a controller that runs:
//
//	cd test && go run ./demo
//
// It writes informers and listers for the example project, and starts a real Kubernetes API server in this
// process. It installs the project's CRDs, and runs a controller on them (see the package controller) while
// customers create, change and delete orders. Then another replica of the controller takes over. At the end
// it compares the cache with the API. Its exit status is 0 only if both are the same and the controller has
// done its work. An interrupt stops it at any time, with status 130.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// errInterrupted is why a demo that was interrupted ended.
var errInterrupted = errors.New("interrupted")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the program without cleaning up.
	context.AfterFunc(ctx, stop)

	err := run(ctx, newJournal(os.Stdout))
	switch {
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, errInterrupted)
		os.Exit(130)
	case err != nil:
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, j *journal) error {
	j.note("A controller on informers that informer-gen wrote, on a real API server. Ctrl-C stops it.")
	project, err := findProject()
	if err != nil {
		return err
	}
	if err := generate(ctx, j, project); err != nil {
		return err
	}
	server, err := startServer(ctx, j, project)
	if err != nil {
		return err
	}
	defer func() {
		j.step("Stopping the API server and removing its files")
		server.Stop()
	}()
	return trade(ctx, j, server.Config())
}
