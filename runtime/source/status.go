package source

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

// statusKind is the kind of a response that says how a request went.
var statusKind = schema.GroupVersionKind{Version: "v1", Kind: "Status"}

// statusError returns the error of a failure that a server has sent. It has a text also if the server
// sent none.
func statusError(status runtime.Object) error {
	err := apierrors.FromObject(status)
	var of *apierrors.StatusError
	if errors.As(err, &of) && of.ErrStatus.Message == "" {
		of.ErrStatus.Message = fmt.Sprintf("status without a message: %s, reason %q, code %d", of.ErrStatus.Status, of.ErrStatus.Reason, of.ErrStatus.Code)
	}
	return err
}

// statusOfList returns the error of a Status that answers a list. A success is no list either.
func statusOfList(status *metav1.Status) error {
	if status.Status == metav1.StatusSuccess {
		return fmt.Errorf("%w: is a Status (%s), message %q", errNotAList, status.Status, status.Message)
	}
	return statusError(status)
}

// statusMembers has the members of a Status in JSON, by their names.
type statusMembers map[string][]byte

// status decodes them.
func (m statusMembers) status() (*metav1.Status, error) {
	text := []byte("{")
	for name, value := range m {
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = fmt.Appendf(text, "%q:%s", name, value)
	}
	status := &metav1.Status{}
	return status, utiljson.Unmarshal(append(text, '}'), status)
}
