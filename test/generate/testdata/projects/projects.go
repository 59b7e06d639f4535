// Package projects pins public projects whose API packages the tests take as
// input. It is a module of its own, which the tests copy, so that what these
// projects depend on does not choose the versions of the other tests.
package projects

import (
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned"
	_ "sigs.k8s.io/cluster-api/api/core/v1beta2"
	_ "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned"

	_ "github.com/informer-gen/informer-gen/runtime/factory"
)
