package crdserver

import (
	"errors"
	"fmt"
	"net"
	"net/url"

	noopoteltrace "go.opentelemetry.io/otel/trace/noop"
	crdapiserver "k8s.io/apiextensions-apiserver/pkg/apiserver"
	crdoptions "k8s.io/apiextensions-apiserver/pkg/cmd/server/options"
	generatedopenapi "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authentication/request/union"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/util/openapi"
	"k8s.io/apiserver/pkg/util/webhook"
)

// newConfig composes what apiextensions-apiserver's own command line composes,
// without the parts that need a kube-apiserver beside it: delegated
// authentication and authorization, admission, priority and fairness.
func newConfig(listener net.Listener, options Options) (*crdapiserver.Config, error) {
	parts := crdoptions.NewCustomResourceDefinitionsServerOptions(nil, nil)
	etcd := parts.RecommendedOptions.Etcd
	etcd.StorageConfig.Transport.ServerList = []string{options.EtcdURL}
	etcd.EnableWatchCache = !options.DisableWatchCache
	// No compaction behind the back of a test: Compact does it.
	etcd.StorageConfig.CompactionInterval = 0

	serving := parts.RecommendedOptions.SecureServing
	serving.Listener = listener
	serving.BindPort = listener.Addr().(*net.TCPAddr).Port
	serving.BindAddress = listener.Addr().(*net.TCPAddr).IP
	serving.ServerCert.CertDirectory = "" // the certificate stays in memory
	if err := serving.MaybeDefaultWithSelfSignedCerts("localhost", nil, nil); err != nil {
		return nil, err
	}

	cfg := genericapiserver.NewRecommendedConfig(crdapiserver.Codecs)
	// The token in the loopback client's config is added to these two, and is
	// then the only one that is let in. Its user may impersonate others.
	cfg.Authentication.Authenticator = union.New()
	cfg.Authorization.Authorizer = authorizer.AuthorizerFunc(authorize)
	// The server can't do without any while a definition is being deleted.
	cfg.AdmissionControl = admission.NewChainHandler()
	cfg.EnableProfiling = false
	// The schemas are needed for server-side apply, and for kubectl, which gets version 3: the
	// server has it of definitions only with version 2.
	definitions := openapi.GetOpenAPIDefinitionsWithoutDisabledFeatures(generatedopenapi.GetOpenAPIDefinitions)
	namer := openapinamer.NewDefinitionNamer(crdapiserver.Scheme)
	cfg.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(definitions, namer)
	cfg.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(definitions, namer)
	for _, apply := range []func() error{
		parts.Complete,
		func() error { return parts.ServerRunOptions.ApplyTo(&cfg.Config) },
		func() error { return etcd.ApplyTo(&cfg.Config) },
		func() error { return serving.ApplyTo(&cfg.SecureServing, &cfg.LoopbackClientConfig) },
		func() error {
			return parts.APIEnablement.ApplyTo(&cfg.Config, crdapiserver.DefaultAPIResourceConfigSource(), crdapiserver.Scheme)
		},
	} {
		if err := apply(); err != nil {
			return nil, err
		}
	}
	return &crdapiserver.Config{
		GenericConfig: cfg,
		ExtraConfig: crdapiserver.ExtraConfig{
			CRDRESTOptionsGetter: crdoptions.NewCRDRESTOptionsGetter(*etcd, cfg.ResourceTransformers, cfg.StorageObjectCountTracker),
			ServiceResolver:      noServices{},
			AuthResolverWrapper:  webhook.NewDefaultAuthenticationInfoResolverWrapper(nil, nil, cfg.LoopbackClientConfig, noopoteltrace.NewTracerProvider()),
		},
	}, nil
}

// noServices stands for the services that conversion webhooks may be reached
// at: there are none.
type noServices struct{}

func (noServices) ResolveEndpoint(namespace, name string, _ int32) (*url.URL, error) {
	return nil, fmt.Errorf("service %s/%s: %w", namespace, name, errors.ErrUnsupported)
}
