package main

import (
	"maps"
	"slices"
	"strings"
)

// project is a public project that informer-gen is run over.
type project struct {
	module, version string
	// args are flags and patterns; ./... without any.
	args []string
	// crds are files and directories of its module that hold its CRDs, informers
	// directories with the generic.go of informers that it publishes, or such files.
	crds, informers []string
	// published is the module, with its version, that holds these, if the types are in
	// another one.
	published string
	// known are types that are missed, by the beginning of their names, each with
	// the reason.
	known map[string]string
	// note says what is peculiar about it.
	note string
}

// isKnown reports whether there is a reason for a type that is missed.
func (p project) isKnown(missed string) bool {
	return slices.ContainsFunc(slices.Collect(maps.Keys(p.known)), func(name string) bool { return strings.HasPrefix(missed, name) })
}

const constraints = "its types are those of another module, github.com/open-policy-agent/frameworks/constraint"

// projects are the projects of the corpus, by module.
var projects = []project{
	{module: "github.com/argoproj/argo-cd/v3", version: "v3.5.7", crds: []string{"manifests/crds"}},
	{module: "github.com/argoproj/argo-rollouts", version: "v1.8.3", crds: []string{"manifests/crds"}},
	{module: "github.com/argoproj/argo-workflows/v3", version: "v3.7.3", args: []string{"./pkg/apis/..."}, crds: []string{"manifests/base/crds/full"}},
	{module: "github.com/aws/karpenter-provider-aws", version: "v1.14.1", crds: []string{"pkg/apis/crds/karpenter.k8s.aws_ec2nodeclasses.yaml"}},
	{module: "github.com/bitnami-labs/sealed-secrets", version: "v0.40.0", crds: []string{"helm/sealed-secrets/crds"}},
	{module: "github.com/cert-manager/approver-policy", version: "v0.28.0", crds: []string{"deploy/crds"}},
	{module: "github.com/cert-manager/cert-manager", version: "v1.21.2", crds: []string{"deploy/crds"}},
	{module: "github.com/cert-manager/trust-manager", version: "v0.25.0", crds: []string{"deploy/crds"}},
	{module: "github.com/chaos-mesh/chaos-mesh/api", version: "v0.0.0-20260906172039-d70b66ad97ac", crds: []string{"config/crd/bases"},
		published: "github.com/chaos-mesh/chaos-mesh@v0.9.1-0.20260902003049-47411975a8cb"},
	{module: "github.com/cilium/cilium", version: "v1.20.2", crds: []string{"pkg/k8s/apis/cilium.io/client/crds"}},
	{module: "github.com/cloudnative-pg/cloudnative-pg", version: "v1.27.0", crds: []string{"config/crd/bases"}},
	{module: "github.com/dapr/dapr", version: "v1.14.0", crds: []string{"charts/dapr/crds"}},
	{module: "github.com/elastic/cloud-on-k8s/v3", version: "v3.5.0", crds: []string{"config/crds/v1/resources"}},
	{module: "github.com/envoyproxy/gateway", version: "v1.9.1", crds: []string{"charts/gateway-helm/charts/crds/crds/generated"}},
	{module: "github.com/external-secrets/external-secrets", version: "v0.18.2", crds: []string{"config/crds/bases"}},
	{module: "github.com/fluxcd/flagger", version: "v1.36.1", crds: []string{"artifacts/flagger"}, informers: []string{"pkg/client/informers/externalversions"},
		known: map[string]string{"gatewayapi/": "they are there, of gateway.networking.k8s.io, which is the group of their SchemeGroupVersion; the comments of the published informers have the directory's name"}},
	{module: "github.com/fluxcd/kustomize-controller/api", version: "v1.9.6", crds: []string{"config/crd/bases"}, published: "github.com/fluxcd/kustomize-controller@v1.9.6"},
	{module: "github.com/fluxcd/source-controller/api", version: "v1.9.6", crds: []string{"config/crd/bases"}, published: "github.com/fluxcd/source-controller@v1.9.6"},
	{module: "github.com/kedacore/keda/v2", version: "v2.21.0", crds: []string{"config/crd/bases"}},
	{module: "github.com/kubeflow/mpi-operator", version: "v0.6.0", crds: []string{"manifests/base"}},
	{module: "github.com/kubeflow/training-operator", version: "v1.8.1", crds: []string{"manifests/base/crds"}},
	{module: "github.com/kubernetes-csi/external-snapshotter/client/v8", version: "v8.7.0", crds: []string{"config/crd"}},
	{module: "github.com/kyverno/kyverno", version: "v1.19.1", args: []string{"./api/..."}, informers: []string{"pkg/client/informers/externalversions"},
		known: map[string]string{"policies.kyverno.io/v1beta1/": "its types are those of another module, github.com/kyverno/api"},
		note:  "./api/... only: the command line's types below cmd have no DeepCopyObject, which informer-gen refuses"},
	{module: "github.com/mongodb/mongodb-kubernetes-operator", version: "v0.9.0", crds: []string{"config/crd/bases"}},
	{module: "github.com/open-policy-agent/gatekeeper/v3", version: "v3.23.1", crds: []string{"charts/gatekeeper/crds"},
		known: map[string]string{"externaldata.gatekeeper.sh/": constraints, "templates.gatekeeper.sh/": constraints}},
	{module: "github.com/projectcontour/contour", version: "v1.33.8", crds: []string{"examples/contour"}},
	{module: "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring", version: "v0.85.0", crds: []string{"example/prometheus-operator-crd-full"},
		published: "github.com/prometheus-operator/prometheus-operator@v0.85.0"},
	{module: "github.com/tektoncd/pipeline", version: "v1.3.0", crds: []string{"config/300-crds"}},
	{module: "github.com/traefik/traefik/v3", version: "v3.7.13", informers: []string{"pkg/provider/kubernetes/crd/generated/informers/externalversions"}},
	{module: "github.com/vmware-tanzu/velero", version: "v1.18.3", crds: []string{"config/crd"}},
	{module: "go.universe.tf/metallb", version: "v0.16.2", crds: []string{"config/crd/bases"}},
	{module: "istio.io/client-go", version: "v1.31.1", informers: []string{"pkg/informers/externalversions/generic.gen.go"}},
	{module: "k8s.io/apiextensions-apiserver", version: "v0.37.2", args: []string{"./pkg/apis/..."}, informers: []string{"pkg/client/informers/externalversions"}},
	{module: "k8s.io/autoscaler/vertical-pod-autoscaler", version: "v1.8.1", crds: []string{"deploy"}},
	{module: "k8s.io/kube-aggregator", version: "v0.37.2", informers: []string{"pkg/client/informers/externalversions"}},
	{module: "k8s.io/sample-controller", version: "v0.34.1", crds: []string{"artifacts/examples"}},
	{module: "knative.dev/eventing", version: "v0.46.0", crds: []string{"config/core/resources", "config/channels/in-memory-channel/resources"}},
	{module: "knative.dev/operator", version: "v0.42.2", informers: []string{"pkg/client/informers/externalversions"}},
	{module: "knative.dev/serving", version: "v0.51.0", crds: []string{"config/core/300-resources"}},
	{module: "sigs.k8s.io/cluster-api-operator", version: "v0.29.0", crds: []string{"config/crd/bases"}},
	{module: "sigs.k8s.io/cluster-api-provider-aws/v2", version: "v2.13.0", crds: []string{"config/crd/bases"}},
	{module: "sigs.k8s.io/external-dns", version: "v0.18.0", crds: []string{"config/crd/standard"}},
	{module: "sigs.k8s.io/gateway-api", version: "v1.4.0", crds: []string{"config/crd/experimental"}},
	{module: "sigs.k8s.io/jobset", version: "v0.10.1", crds: []string{"config/components/crd/bases"}},
	{module: "sigs.k8s.io/karpenter", version: "v1.6.2", crds: []string{"pkg/apis/crds", "kwok/apis/crds", "pkg/test/v1alpha1/crds"}},
	{module: "sigs.k8s.io/kueue", version: "v0.14.0", crds: []string{"config/components/crd/bases"}},
	{module: "sigs.k8s.io/kwok", version: "v0.8.0", crds: []string{"kustomize/crd/bases"}},
	{module: "sigs.k8s.io/lws", version: "v0.7.0", crds: []string{"config/crd/bases"}},
	{module: "sigs.k8s.io/mcs-api", version: "v0.5.2", crds: []string{"config/crd-base"}},
	{module: "sigs.k8s.io/network-policy-api", version: "v0.1.1", crds: []string{"config/crd"}},
	{module: "sigs.k8s.io/scheduler-plugins", version: "v0.31.8", crds: []string{"config/crd/bases"}},
	{module: "sigs.k8s.io/secrets-store-csi-driver", version: "v1.5.3", crds: []string{"config/crd/bases"}},
}
