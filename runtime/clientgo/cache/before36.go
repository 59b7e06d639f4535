//go:build before36

package cache

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// DoneChecker tells when an activity is done, such as the initial list of an informer.
type DoneChecker interface {
	// Name describes the activity in logs.
	Name() string
	// Done is closed when the activity is done.
	Done() <-chan struct{}
}

// Pop pops from a queue, for tests.
//
// Deprecated: client-go has it until 0.35.
var Pop = cache.Pop

// IsDone reports whether the activity is done.
func IsDone(checker DoneChecker) bool { return closed(checker.Done()) }

// WaitFor waits until every checker is done or ctx ends, and reports whether all are done. It logs progress
// if what is not empty.
func WaitFor(ctx context.Context, what string, checkers ...DoneChecker) bool {
	logger := klog.FromContext(ctx).WithCallDepth(1)
	if what != "" {
		logger.Info("Waiting", "for", what)
	}
	var late []string
	for _, checker := range checkers {
		select {
		case <-checker.Done():
		case <-ctx.Done():
		}
		if !IsDone(checker) {
			late = append(late, checker.Name())
		} else if what != "" {
			logger.Info("Done waiting", "for", what, "instance", checker.Name())
		}
	}
	if len(late) > 0 && what != "" {
		logger.Info("Timed out waiting", "for", what, "cause", context.Cause(ctx), "instances", late)
	}
	return len(late) == 0
}

// pollSync is the interval at which one of client-go's informers is asked whether it is in sync.
const pollSync = 100 * time.Millisecond

// checked is an informer of this module.
type checked interface{ HasSyncedChecker() DoneChecker }

// SyncedChecker returns the checker of an informer. An informer of client-go has none: it is asked until it
// is in sync or stopped.
func SyncedChecker(informer SharedInformer) DoneChecker {
	if i, ok := informer.(checked); ok {
		return i.HasSyncedChecker()
	}
	synced := make(chan struct{})
	go func() {
		for !informer.HasSynced() {
			if informer.IsStopped() {
				return
			}
			time.Sleep(pollSync)
		}
		close(synced)
	}()
	return doneChecker{name: fmt.Sprintf("%T", informer), done: synced}
}

// SyncResult is the result of a wait for the informers of a factory.
type SyncResult struct {
	// Err is nil if all are in sync. Otherwise it says why the wait ended.
	Err error
	// Synced reports for each type whether its informer is in sync.
	Synced map[reflect.Type]bool
}

// AsError returns nil if all are in sync. Otherwise it returns an error that names the informers that are
// not, and wraps Err.
func (r SyncResult) AsError() error {
	if r.Err == nil {
		return nil
	}
	var missing []string
	for of, synced := range r.Synced {
		if !synced {
			missing = append(missing, of.String())
		}
	}
	slices.Sort(missing)
	return fmt.Errorf("failed to sync all caches: %s: %w", strings.Join(missing, ", "), r.Err)
}

// InformerName is the identity of the informers of one factory in metrics. Its methods are safe for
// concurrent use. A nil InformerName reserves nothing.
type InformerName struct {
	name string

	mu        sync.Mutex
	released  bool
	resources map[schema.GroupVersionResource]*atomic.Bool
}

// InformerNameAndResource is the identity of one informer.
type InformerNameAndResource struct {
	name     string
	resource schema.GroupVersionResource
	reserved *atomic.Bool
}

// informerNames holds the reserved names.
var informerNames struct {
	mu    sync.Mutex
	names map[string]*InformerName
}

// NewInformerName reserves a name for the informers of one factory, unique in
// the process until it is released.
func NewInformerName(name string) (*InformerName, error) {
	if name == "" {
		return nil, errors.New("informer name: empty")
	}
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	if informerNames.names[name] != nil {
		return nil, fmt.Errorf("informer name %q: already in use", name)
	}
	if informerNames.names == nil {
		informerNames.names = map[string]*InformerName{}
	}
	n := &InformerName{name: name, resources: map[schema.GroupVersionResource]*atomic.Bool{}}
	informerNames.names[name] = n
	return n, nil
}

// Name returns the name, or "" for nil.
func (n *InformerName) Name() string {
	if n == nil {
		return ""
	}
	return n.name
}

// WithResource reserves the identity of the informer of a resource. It does not reserve it if another
// informer has it, which is logged, or if the name is released or nil.
func (n *InformerName) WithResource(gvr schema.GroupVersionResource) InformerNameAndResource {
	if n == nil {
		return InformerNameAndResource{resource: gvr}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	id := InformerNameAndResource{name: n.name, resource: gvr, reserved: new(atomic.Bool)}
	switch {
	case n.released:
	case n.resources[gvr] != nil:
		klog.TODO().Error(nil, "Informer is registered twice, metrics are not published", "informerName", n.name, "resource", gvr)
	default:
		id.reserved.Store(true)
		n.resources[gvr] = id.reserved
	}
	return id
}

// Release frees the name and all of its identities.
func (n *InformerName) Release() {
	if n == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, reserved := range n.resources {
		reserved.Store(false)
	}
	clear(n.resources)
	if n.released {
		return
	}
	n.released = true
	informerNames.mu.Lock()
	defer informerNames.mu.Unlock()
	delete(informerNames.names, n.name)
}

// ResetInformerNamesForTesting releases every reserved informer name.
func ResetInformerNamesForTesting() {
	informerNames.mu.Lock()
	var all []*InformerName
	for _, n := range informerNames.names {
		all = append(all, n)
	}
	informerNames.mu.Unlock()
	for _, n := range all {
		n.Release()
	}
}

// Name returns the name of the factory's informers.
func (id InformerNameAndResource) Name() string { return id.name }

// GroupVersionResource returns the resource of the informer.
func (id InformerNameAndResource) GroupVersionResource() schema.GroupVersionResource {
	return id.resource
}

// Reserved reports whether the identity belongs to one informer, and was not released.
func (id InformerNameAndResource) Reserved() bool { return id.reserved != nil && id.reserved.Load() }

// InformerMetricsProvider makes the metrics of an informer.
type InformerMetricsProvider interface {
	// NewQueuedItemMetric returns the metric of the number of deltas that wait for the store.
	NewQueuedItemMetric(id InformerNameAndResource) GaugeMetric
	// NewProcessingLatencyMetric returns the metric of the seconds that the store takes for a batch of deltas.
	NewProcessingLatencyMetric(id InformerNameAndResource) HistogramMetric
	// NewStoreResourceVersionMetric returns the metric of the store's resourceVersion.
	NewStoreResourceVersionMetric(id InformerNameAndResource) GaugeMetric
}

// HistogramMetric counts observations by their size.
type HistogramMetric interface {
	Observe(float64)
}

// versioned is implemented by an indexer that knows its resourceVersion.
type versioned interface {
	Bookmark(resourceVersion string)
	LastStoreSyncResourceVersion() string
}

func (x *typedIndexer[T]) Bookmark(resourceVersion string) {
	if v, ok := x.untyped.(versioned); ok {
		v.Bookmark(resourceVersion)
	}
}

func (x *typedIndexer[T]) LastStoreSyncResourceVersion() string {
	if v, ok := x.untyped.(versioned); ok {
		return v.LastStoreSyncResourceVersion()
	}
	return ""
}

// shareProvider does nothing: client-go has no metrics of informers.
func shareProvider(InformerMetricsProvider) {}

// identityOf returns no identity: client-go's options have none.
func identityOf(SharedIndexInformerOptions) (id InformerNameAndResource, provider InformerMetricsProvider) {
	return id, nil
}

// identityOfUnshared is identityOf for an informer with one handler.
func identityOfUnshared(InformerOptions) (id InformerNameAndResource, provider InformerMetricsProvider) {
	return id, nil
}

// loggerOf returns nil: client-go's options have no logger.
func loggerOf(InformerOptions) *klog.Logger { return nil }
