package shard

import (
	"cmp"
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// Source returns the source of the objects of another source that are in a shard. When the shard's ranges
// change, the informer lists the new ranges. It adds the objects that the shard has gained, and releases
// the objects that it has lost (cache.Released). Objects that stay cause no event. A list in progress is
// finished first.
//
// Servers with the feature gate ShardedListAndWatch (KEP-5866) send only the objects of the shard. The
// source checks each object, before it is decoded if that is possible. A transform of the informer must
// keep the hashed fields. A shard without ranges has no watch, and requests the latest resourceVersion once
// a minute. A nil shard selects all objects.
func Source[T any](of cache.Source[T], s *Shard) cache.Source[T] {
	return cache.Source[T]{Objects: s.Objects(of.Objects)}
}

// Objects is Source without a type parameter. It fits WrapSource of runtime/factory.
func (s *Shard) Objects(of cache.Objects) cache.Objects {
	if s == nil || of == nil {
		return of
	}
	return &selected{of: of, shard: s}
}

// selected is the source of a shard's objects.
type selected struct {
	of    cache.Objects
	shard *Shard
}

func (s *selected) Describe() cache.SourceInfo {
	info := s.of.Describe()
	if in := info.In; in != nil {
		info.In = func(scope types.NamespacedName) cache.Objects { return s.shard.Objects(in(scope)) }
	}
	inner := info.Excludes
	info.Excludes = func(key types.NamespacedName, metadata metav1.Object) error {
		if inner != nil {
			if err := inner(key, metadata); err != nil {
				return err
			}
		}
		return s.shard.excludes(key, metadata)
	}
	return info
}

// excludes returns an error that says why an object is not in the shard. It returns nil if the object may
// be in the shard.
func (s *Shard) excludes(key types.NamespacedName, metadata metav1.Object) error {
	ranges, _ := s.Ranges()
	hash, known := s.hashOf(key, metadata)
	if len(ranges) > 0 && (!known || ranges.Contains(hash)) {
		return nil
	}
	return fmt.Errorf("object %s/%s is not of the shard that the informer follows, by %v", key.Namespace, key.Name, s.by)
}

// hashOf returns the hash of an object, if it is known.
func (s *Shard) hashOf(key types.NamespacedName, metadata metav1.Object) (hash uint64, known bool) {
	switch {
	case s.by.field == Namespace.field:
		return Hash(key.Namespace), true
	case metadata == nil || s.by.field == UID.field && metadata.GetUID() == "":
		return 0, false
	}
	return s.by.Hash(metadata), true
}

// List lists the shard's ranges as they are at the first page. The further pages of a list use the same
// ranges.
func (s *selected) List(ctx context.Context, options metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	request := decoding.From(ctx)
	if request.Unselected {
		return s.of.List(ctx, options, each)
	}
	ranges, _ := s.shard.Ranges()
	if options.Continue == "" {
		s.keep(request.Sequence, ranges)
	} else if kept, ok := s.kept(request.Sequence); ok {
		ranges = kept
	}
	if len(ranges) == 0 {
		return s.latest(ctx)
	}
	part := s.part(ctx, ranges)
	return s.of.List(part.beforeDecoding(ctx), part.limit(options), func(obj any, err error) {
		if err == nil && !part.has(obj) {
			part.leaveOut(obj)
			return
		}
		each(obj, err)
	})
}

// latestTimeout limits the request for the latest resourceVersion.
const latestTimeout = 30 * time.Second

// latest returns the metadata of an empty list, with the latest resourceVersion.
func (s *selected) latest(ctx context.Context) (metav1.ListMeta, error) {
	limited, cancel := context.WithTimeoutCause(ctx, latestTimeout, failure.ErrListIdle)
	defer cancel()
	page, err := s.of.List(limited, metav1.ListOptions{Limit: 1}, func(any, error) {})
	if err != nil && ctx.Err() == nil {
		err = cmp.Or(context.Cause(limited), err)
	}
	return metav1.ListMeta{ResourceVersion: page.ResourceVersion}, err
}

// Watch continues a list of the same ranges. It fails with ErrSelectionChanged if the shard's ranges have
// changed since.
func (s *selected) Watch(ctx context.Context, options metav1.ListOptions) (cache.Watcher, error) {
	ranges, current := s.shard.state()
	sequence := decoding.From(ctx).Sequence
	initial := options.SendInitialEvents != nil && *options.SendInitialEvents
	if initial {
		s.keep(sequence, ranges)
	} else if listed, ok := s.kept(sequence); ok && !listed.Equal(ranges) {
		return nil, s.shard.errChanged()
	}
	if len(ranges) == 0 {
		page, err := s.latest(ctx)
		if err != nil {
			return nil, err
		}
		return newEmptyWatcher(ctx, s, page.ResourceVersion, initial, current), nil
	}
	part := s.part(ctx, ranges)
	w := newWatcher(ctx, s.shard, part)
	if !initial {
		w.follow()
	}
	of, err := s.of.Watch(part.beforeDecoding(w.ctx), part.limit(options))
	if err != nil {
		w.end()
		return nil, w.changed(err)
	}
	w.Watcher = of
	return w, nil
}

func (s *Shard) errChanged() error {
	return fmt.Errorf("shard by %v: %w", s.by, failure.ErrSelectionChanged)
}

// keep notes the ranges of a list that begins now.
func (s *selected) keep(sequence *decoding.Sequence, ranges Ranges) {
	if sequence == nil {
		return
	}
	sequence.Keep(s, ranges, decoding.Part{
		Excludes: func(obj any) bool {
			m, ok := obj.(metav1.Object)
			if !ok {
				return false
			}
			hash, known := s.shard.hashOf(types.NamespacedName{Namespace: m.GetNamespace(), Name: m.GetName()}, m)
			return known && !ranges.Contains(hash)
		},
		Changed: func() bool {
			now, _ := s.shard.Ranges()
			return !now.Equal(ranges)
		},
	})
}

// kept returns the ranges that were noted for the list that a request continues.
func (s *selected) kept(sequence *decoding.Sequence) (ranges Ranges, ok bool) {
	if sequence == nil {
		return nil, false
	}
	ranges, ok = sequence.Kept(s).(Ranges)
	return ranges, ok
}

// part returns the selection of a request.
func (s *selected) part(ctx context.Context, ranges Ranges) *part {
	return newPart(ctx, s.shard, s.of.Describe().Resource, ranges)
}
