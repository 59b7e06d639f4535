package factory

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// informerKey identifies an informer of a factory.
type informerKey struct {
	// of is the Go type of its objects, or their resource.
	of fmt.Stringer
	// name distinguishes several informers of the same type or resource. It is empty for the unnamed one.
	name string
}

// String returns what the informer is of, and its name if it has one.
func (k informerKey) String() string {
	if k.name == "" {
		return k.of.String()
	}
	return fmt.Sprintf("%v/%s", k.of, k.name)
}

// registry holds the informers of a factory, one for each key, from the first request until their release.
type registry struct {
	options Options
	outages core.Outages

	// wg counts the running informers, also those that were released.
	wg sync.WaitGroup

	// making is held while an informer is created. The function that creates it may be the user's, and
	// slow. making is locked before mu, which is never held that long.
	making sync.Mutex

	mu      sync.Mutex
	members map[informerKey]*member
	// leaving holds the informers that were released and have not ended, the latest one of each key.
	leaving map[informerKey]*member
	// shutDown is set when no informer may be started any more.
	shutDown bool
}

// member is an informer of a factory.
type member struct {
	informer cache.SharedIndexInformer
	// stop ends a started informer. It is nil before the start.
	stop context.CancelFunc
	// ended is closed by left when a started informer has returned.
	ended chan struct{}
}

// runs reports whether the informer was started and has not returned. The caller holds the registry's mu.
func (m *member) runs() bool {
	select {
	case <-m.ended:
		return false
	default:
		return m.stop != nil
	}
}

// listWatch returns the informer's own options if they are not nil, and the factory's otherwise. If they
// have no Outages, it sets the factory's.
func (r *registry) listWatch(own *core.ListWatch) core.ListWatch {
	options := *cmp.Or(own, &r.options.ListWatch)
	options.Outages = cmp.Or(options.Outages, &r.outages)
	return options
}

// informerFor returns the informer of a key, and creates it if there is none.
func (r *registry) informerFor(key informerKey, newInformer func() cache.SharedIndexInformer) cache.SharedIndexInformer {
	if m := r.member(key); m != nil {
		return m.informer
	}
	r.making.Lock()
	defer r.making.Unlock()
	if m := r.member(key); m != nil {
		return m.informer
	}
	informer := newInformer()
	if transform := r.options.transform(key); transform != nil && !clientgocache.HasTransform(informer) {
		if err := informer.SetTransform(transform); err != nil {
			// The informer runs already, with the transform that its maker chose.
			klog.Background().V(2).Info("Transform of the factory not set", "of", key, "err", err)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.members == nil {
		r.members = map[informerKey]*member{}
	}
	r.members[key] = &member{informer: informer, ended: make(chan struct{})}
	return informer
}

// member returns the member of a key, or nil.
func (r *registry) member(key informerKey) *member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.members[key]
}

// Start is StartWithContext with a channel in place of a context.
func (r *registry) Start(stopCh <-chan struct{}) {
	r.StartWithContext(wait.ContextForChannel(stopCh))
}

// StartWithContext runs the informers that were not started before, each in a goroutine, until ctx ends or
// they are released. It does not block. Informers that are requested later need another Start. After
// Shutdown it does nothing.
func (r *registry) StartWithContext(ctx context.Context) {
	if err := r.misuse(); err != nil {
		klog.FromContext(ctx).Error(err, "Factory started with options that are wrong")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shutDown {
		return
	}
	var started []*member
	for key, m := range r.members {
		if m.stop != nil || r.unknown(key) {
			continue
		}
		started = append(started, m)
		ctx, stop := context.WithCancel(ctx)
		m.stop = stop
		r.wg.Go(func() {
			defer r.left(key, m)
			defer stop()
			m.informer.RunWithContext(ctx)
		})
	}
	if len(started) > 0 {
		r.wg.Go(func() { logSync(ctx, started) })
	}
}

// unknown reports whether an informer has a name for which there are no options. The informer may be meant
// to have a selector, and would fetch everything without it. The caller holds mu.
func (r *registry) unknown(key informerKey) bool {
	return key.name != "" && r.options.each[key] == nil
}

// left notes that a member has ended, and removes it if it was released.
func (r *registry) left(key informerKey, m *member) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.leaving[key] == m {
		delete(r.leaving, key)
	}
	close(m.ended)
}

// release removes the informer of a key and stops it. The channel is closed when the informer has ended; if
// the key has no informer now, it is the channel of the one released before.
func (r *registry) release(key informerKey) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, ok := r.members[key]; ok && m.runs() {
		m.stop()
		if r.leaving == nil {
			r.leaving = map[informerKey]*member{}
		}
		r.leaving[key] = m
	}
	delete(r.members, key)
	if m, ok := r.leaving[key]; ok {
		return m.ended
	}
	ended := make(chan struct{})
	close(ended)
	return ended
}

// Shutdown stops every informer that was started, waits until all have ended, and then releases the
// InformerName. From the call on no informer is started. Unlike client-go's Shutdown, it does not wait for
// the context or channel of Start to end, so that a deferred Shutdown always returns. It may be called more
// than once, and concurrently, but not by a handler, which would wait for itself.
func (r *registry) Shutdown() {
	r.mu.Lock()
	r.shutDown = true
	for _, m := range r.members {
		if m.stop != nil {
			m.stop()
		}
	}
	r.mu.Unlock()
	r.wg.Wait()
	r.options.InformerName.Release()
}

// all returns the members.
func (r *registry) all() map[informerKey]*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.members)
}

// started returns the members that were started.
func (r *registry) started() map[informerKey]*member {
	r.mu.Lock()
	defer r.mu.Unlock()
	started := map[informerKey]*member{}
	for key, m := range r.members {
		if m.stop != nil {
			started[key] = m
		}
	}
	return started
}
