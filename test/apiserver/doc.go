// Package apiserver runs a real Kubernetes API server for custom resources
// inside a test or a program: the apiextensions-apiserver with an embedded
// etcd, in pure Go and with nothing to install.
//
//	server, err := apiserver.Start(ctx, apiserver.Options{})
//	defer server.Stop()
//	err = server.InstallCRDs(ctx, "config/crd/bases")
//	client, err := source.NewClient(server.Config())
//
// # What it is, and what it is not
//
// It serves CustomResourceDefinitions and the resources that they define, with everything a Kubernetes API
// server does for them. That is validation by schema, defaults, status and scale subresources, optimistic
// concurrency, finalizers, watch, bookmarks, watch-list, paging, 410 Gone. It lists its API groups and
// publishes their schemas, so that kubectl works with it. It has no built-in resources, so that namespaces
// exist without being created. It has no admission, and no controllers but the controllers of the CRDs.
//
// # Other versions
//
// With the environment variable APISERVER, the API server is a program of test/servers in
// a process of its own, which may be of another version of Kubernetes.
//
// # Isolation
//
// Everything listens on ports of the loopback interface that the system chose;
// data lives in a temporary directory that Stop removes. Only the bearer token
// in Config may use the API. Several servers may run in one process, and one
// after the other. What is shared by all of them, because Kubernetes keeps it
// in variables, are the feature gates, the metrics and the klog logger.
package apiserver
