package protocol

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// An error names the resource of the source, the resource of the server's error, or the informer.
func TestTarget(t *testing.T) {
	none := schema.GroupVersionResource{}
	orders := schema.GroupVersionResource{Group: "shop.test", Version: "v1", Resource: "orders"}
	forbidden := apierrors.NewForbidden(orders.GroupResource(), "", errors.New("no role"))
	for _, c := range []struct {
		resource  schema.GroupVersionResource
		namespace string
		err       error
		want      string
	}{
		{none, "", errors.New("connection refused"), "of the options"},
		{none, "", apierrors.NewUnauthorized("no token"), "of the options"},
		{none, "", &apierrors.StatusError{ErrStatus: metav1.Status{Details: &metav1.StatusDetails{Group: "shop.test"}}}, "of the options"},
		{none, "", fmt.Errorf("list: %w", forbidden), "orders.shop.test"},
		{none, "", apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", nil), "pods"},
		{none, "", apierrors.NewGenericServerResponse(http.StatusNotFound, "get", orders.GroupResource(), "", "", 0, false), "orders.shop.test"},
		{orders, "", forbidden, "orders.shop.test (version v1) in all namespaces"},
		{orders, "a", forbidden, `orders.shop.test (version v1) in namespace "a"`},
	} {
		if got := target(c.err, c.resource, c.namespace, "of the options"); got != c.want {
			t.Errorf("%v in %q, %v: %s, want %s", c.resource, c.namespace, c.err, got, c.want)
		}
	}
}

// A grant does not help who is not known.
func TestUnauthorizedIsNotForbidden(t *testing.T) {
	err := Explain(apierrors.NewUnauthorized("Unauthorized"), schema.GroupVersionResource{}, "", "things")
	if !apierrors.IsUnauthorized(err) || strings.Contains(err.Error(), "RBAC") || !strings.Contains(err.Error(), "credentials") {
		t.Error(err)
	}
}
