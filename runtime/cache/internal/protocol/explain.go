package protocol

import (
	"cmp"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Explain adds to the error of a list or watch which operator action it needs. It also says if a
// Retry-After was too long to be respected. resource and namespace are the source's; "" stands for all
// namespaces. If neither the source nor the error names the resource, Explain uses otherwise.
func Explain(err error, resource schema.GroupVersionResource, namespace, otherwise string) error {
	switch class := failure.ClassOf(err); {
	case apierrors.IsUnauthorized(err):
		err = fmt.Errorf("%w; the server does not accept the credentials: are they missing or expired?", err)
	case class == failure.ClassForbidden:
		err = fmt.Errorf("%w; RBAC must grant list and watch on %s", err, target(err, resource, namespace, otherwise))
	case class == failure.ClassNotFound:
		err = fmt.Errorf("%w; the server does not have %s: is its CRD installed?", err, target(err, resource, namespace, otherwise))
	}
	if asked := SuggestedDelay(err); asked > MaxRetryAfter {
		err = fmt.Errorf("%w; the server asks to retry after %v, which is too long: retrying after %v", err, asked, MaxRetryAfter)
	}
	return err
}

// target names the requested objects. If the source does not describe its resource, as a ListerWatcher, the
// server's error may name it.
func target(err error, resource schema.GroupVersionResource, namespace, otherwise string) string {
	if resource.Empty() {
		return cmp.Or(resourceIn(err).String(), otherwise)
	}
	if namespace == "" {
		return fmt.Sprintf("%s (version %s) in all namespaces", resource.GroupResource(), resource.Version)
	}
	return fmt.Sprintf("%s (version %s) in namespace %q", resource.GroupResource(), resource.Version, namespace)
}

// resourceIn returns the resource that an error of the server names. It is empty if the error names none.
func resourceIn(err error) schema.GroupResource {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return schema.GroupResource{}
	}
	details := status.Status().Details
	if details == nil || details.Kind == "" {
		return schema.GroupResource{}
	}
	return schema.GroupResource{Group: details.Group, Resource: details.Kind}
}
