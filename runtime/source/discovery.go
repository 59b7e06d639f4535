package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// errNoDiscovery is returned for a response to a discovery request that is not one of
// Kubernetes, but of a proxy for example.
var errNoDiscovery = errors.New("response is not one of discovery")

// served asks the server's discovery whether it serves a resource. It does not if its
// group version is served without it, or if the list of all groups is without the
// group version. Any other response is an error, which decides nothing.
func served(ctx context.Context, of func() (getter, error), resource schema.GroupVersionResource) (bool, error) {
	client, err := of()
	if err != nil {
		return false, err
	}
	var resources metav1.APIResourceList
	err = discover(ctx, client.Get(), &resources, &resources.TypeMeta, "APIResourceList")
	switch {
	case err == nil && resources.GroupVersion != resource.GroupVersion().String():
		return false, fmt.Errorf("discovery: %w: group version %q in place of %q", errNoDiscovery, resources.GroupVersion, resource.GroupVersion())
	case err == nil:
		return slices.ContainsFunc(resources.APIResources, func(r metav1.APIResource) bool { return r.Name == resource.Resource }), nil
	case apierrors.IsNotFound(err):
		err = notServed(ctx, client, resource.GroupVersion())
	}
	if err != nil {
		return false, fmt.Errorf("discovery: %w", err)
	}
	return false, nil
}

// notServed returns nil if the list of all groups is without a group version whose own
// document was not found.
func notServed(ctx context.Context, client getter, gv schema.GroupVersion) error {
	var versions []string
	if gv.Group == "" {
		var core metav1.APIVersions
		if err := discover(ctx, client.Get().AbsPath("/api"), &core, &core.TypeMeta, "APIVersions"); err != nil {
			return err
		}
		versions = core.Versions
	} else {
		var groups metav1.APIGroupList
		if err := discover(ctx, client.Get().AbsPath("/apis"), &groups, &groups.TypeMeta, "APIGroupList"); err != nil {
			return err
		}
		for _, group := range groups.Groups {
			for _, version := range group.Versions {
				versions = append(versions, version.GroupVersion)
			}
		}
	}
	if slices.Contains(versions, gv.String()) {
		return fmt.Errorf("%w: %s is listed and not found", errNoDiscovery, gv)
	}
	return nil
}

// discover decodes the answer to a request into a document, which must be of that
// kind.
func discover(ctx context.Context, request *rest.Request, into any, meta *metav1.TypeMeta, kind string) error {
	text, err := request.SetHeader("Accept", jsonType).MaxRetries(0).Do(ctx).Raw()
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%w: %w", errNoDiscovery, err)
	}
	if meta.Kind != kind {
		return fmt.Errorf("%w: kind %q in place of %q", errNoDiscovery, meta.Kind, kind)
	}
	return nil
}
