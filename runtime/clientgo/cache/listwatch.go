package cache

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	"github.com/informer-gen/informer-gen/runtime/source"
)

// NewListWatchFromClient returns a ListWatch of a resource in one namespace, or in all if it is empty, for
// the objects that match a field selector. An informer over it sends the requests itself and decodes
// the responses while they arrive; as long as its functions are those that it was made with.
func NewListWatchFromClient(c Getter, resource string, namespace string, fieldSelector fields.Selector) *ListWatch {
	return NewFilteredListWatchFromClient(c, resource, namespace, func(options *metav1.ListOptions) {
		options.FieldSelector = fieldSelector.String()
	})
}

// NewFilteredListWatchFromClient is NewListWatchFromClient with a function that changes the options of
// each list and watch, in general to set selectors.
func NewFilteredListWatchFromClient(c Getter, resource string, namespace string, optionsModifier func(options *metav1.ListOptions)) *ListWatch {
	return source.NewListWatch(c, resource, namespace, optionsModifier)
}
