package source

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// Tweak returns src with the options of every list and watch passed through
// tweak first, in general to set a label or field selector. It is called with
// a copy of the options, by any goroutine that lists or watches. A nil tweak
// gives src itself.
func Tweak[T any](src cache.Source[T], tweak func(*metav1.ListOptions)) cache.Source[T] {
	if tweak == nil {
		return src
	}
	info := partsOf(infoOf(src), func(part cache.Source[T], _ string) cache.Source[T] { return Tweak(part, tweak) })
	return &tweaked[T]{described: described{info}, src: src, tweak: tweak}
}

type tweaked[T any] struct {
	described
	src   cache.Source[T]
	tweak func(*metav1.ListOptions)
}

func (t *tweaked[T]) List(ctx context.Context, options metav1.ListOptions, each func(T, error)) (metav1.ListMeta, error) {
	t.tweak(&options)
	return t.src.List(ctx, options, each)
}

func (t *tweaked[T]) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher[T], error) {
	t.tweak(&options)
	return t.src.Watch(ctx, options)
}
