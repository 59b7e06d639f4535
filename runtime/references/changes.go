package references

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// changes is a source of the changes from now on. A deletion is delivered as a modification.
type changes struct{ cache.Objects }

// List lists no objects, at the latest version.
func (c changes) List(ctx context.Context, options metav1.ListOptions, _ func(any, error)) (metav1.ListMeta, error) {
	options.Limit, options.Continue = 1, ""
	options.ResourceVersion, options.ResourceVersionMatch = "", ""
	page, err := c.Objects.List(ctx, options, func(any, error) {})
	return metav1.ListMeta{ResourceVersion: page.ResourceVersion}, err
}

func (c changes) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	w, err := c.Objects.Watch(ctx, options)
	if err != nil {
		return nil, err
	}
	return changed{w}, nil
}

func (c changes) Describe() cache.SourceInfo {
	info := c.Objects.Describe()
	info.NoWatchList = true
	return info
}

type changed struct{ cache.Watcher }

func (c changed) Next() (cache.WatchEvent, error) {
	event, err := c.Watcher.Next()
	if event.Type == watch.Deleted {
		event.Type = watch.Modified
	}
	return event, err
}
