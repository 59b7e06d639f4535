package source

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// Tweak returns src with the options of every list and watch passed through
// tweak first, in general to set a label or field selector. It is called with
// a copy of the options, by any goroutine that lists or watches, and once for
// the description of the source. A nil tweak gives src itself.
func Tweak[T any](src cache.Source[T], tweak func(*metav1.ListOptions)) cache.Source[T] {
	if tweak == nil {
		return src
	}
	return cache.Source[T]{Objects: newTweaked(src.Objects, tweak)}
}

func newTweaked(src cache.Objects, tweak func(*metav1.ListOptions)) cache.Objects {
	info := src.Describe()
	tweak(&info.Selecting)
	if in := info.In; in != nil { // several scopes
		info.In = func(scope types.NamespacedName) cache.Objects { return newTweaked(in(scope), tweak) }
	}
	return &tweaked{described: described{info}, src: src, tweak: tweak}
}

type tweaked struct {
	described
	src   cache.Objects
	tweak func(*metav1.ListOptions)
}

func (t *tweaked) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	t.tweak(&options)
	return t.src.List(ctx, options, each)
}

func (t *tweaked) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	t.tweak(&options)
	return t.src.Watch(ctx, options)
}
