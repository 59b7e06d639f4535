// Servers serves the API of custom resources from an etcd, as the version of Kubernetes
// does that it is built with:
//
//	go build -modfile=v1.31.mod -o apiserver-1.31 .
//	apiserver-1.31 -etcd http://127.0.0.1:2379
//
// It prints its address as JSON, and serves until its standard input ends, so that it
// does not outlive the process that started it.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/test/servers/crdserver"
)

func main() {
	var options crdserver.Options
	flag.StringVar(&options.EtcdURL, "etcd", "", "the URL of an etcd")
	flag.BoolVar(&options.DisableWatchCache, "disable-watch-cache", false, "let every list and watch go to etcd itself")
	flag.Parse()
	if err := run(options); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(options crdserver.Options) error {
	klog.SetLogger(logr.Discard())
	server, err := crdserver.New(options)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(server.Address()); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	return server.Run(ctx)
}
