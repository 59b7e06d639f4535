// Server runs an API server for custom resources, for readers without a cluster:
//
//	cd test && go run ./server >kubeconfig
//
// It is the server that the tests use, with an etcd, in this process. It prints a kubeconfig of its
// administrator when it serves, and runs until it is interrupted. Then its objects are gone.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/informer-gen/informer-gen/test/apiserver"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the program without cleaning up.
	context.AfterFunc(ctx, stop)
	if err := run(ctx); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "server:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		return err
	}
	defer server.Stop()
	if err := server.InstallLeases(ctx); err != nil {
		return err
	}
	kubeconfig, err := server.Kubeconfig()
	if err != nil {
		return err
	}
	if _, err := os.Stdout.Write(kubeconfig); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "Custom resources of Kubernetes %s are served, until Ctrl-C; nothing runs pods.\n", server.Version())
	<-ctx.Done()
	return nil
}
