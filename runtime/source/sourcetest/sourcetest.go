// Package sourcetest connects generated informers and clients to an API server in memory,
// for tests of the controllers that use them:
//
//	server := cachetest.NewServer()
//	orders := cachetest.ServeObjects(server, v1.GroupVersion.WithResource("orders"), first, second)
//	client := sourcetest.NewClient(t, server)
//	factory := informers.NewSharedInformerFactory(client, 0)
//	shop := clients.New(client).Shop().V1()
//
// Writes of the clients follow the rules of a real server, and reach the informers by their
// watches. The API, orders, is for what clients can't do: faults, restarts, compaction. See
// package cachetest, and docs/testing.md for the test of a controller.
//
// Nothing waits for real time, so that all of it works in a bubble of testing/synctest,
// if it is made there. The client has no rate limit.
package sourcetest

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Config returns the configuration of a connection to the server, for any client: of this
// module, a clientset, a dynamic client, controller-runtime's.
func Config(server *cachetest.Server) *rest.Config {
	return &rest.Config{Host: "http://cachetest", Transport: server.RoundTripper(), QPS: -1}
}

// NewClient returns a connection to the server, for generated factories and clients.
func NewClient(t testing.TB, server *cachetest.Server) *source.Client {
	t.Helper()
	client, err := source.NewClient(Config(server))
	if err != nil {
		t.Fatal(err)
	}
	return client
}
