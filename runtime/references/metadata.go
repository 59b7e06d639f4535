package references

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// publishing is the time after which all that share an informer of metadata learn how far it has come.
// Servers send a bookmark about once a minute.
const publishing = 30 * time.Second

// metadata is an informer of the metadata of a namespace, which has only those of the set. It runs while
// names share it. When it fails, so do all that share it, and they begin again by themselves.
type metadata struct {
	namespace *namespace
	informer  *cache.Informer[any]
	stop      context.CancelFunc
	// over is set when nobody shares it any more, and err is why it has ended; both are guarded by the
	// namespace. ended is closed when nothing of it runs any more.
	over  bool
	err   error
	ended chan struct{}
}

// startMetadata starts the informer.
func startMetadata(n *namespace) *metadata {
	ctx, stop := context.WithCancel(context.Background()) // it may outlast the name that needs it first
	m := &metadata{namespace: n, stop: stop, ended: make(chan struct{})}
	m.informer = cache.New(cache.Source[any]{Objects: n.metadata}, cache.Options[any]{
		Name:      fmt.Sprintf("metadata of namespace %q", n.name),
		Transform: m.keep,
		ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, f cache.Failure) cache.Decision {
			return cache.Decision{Quiet: true, Stop: f.Backoff > 0} // a watch that is continued is no failure
		}},
	})
	_, err := m.informer.AddHandler(cache.InBatches(m.changed), cache.HandlerOptions{Name: "references", Coalesce: true})
	go func() {
		defer close(m.ended)
		var running sync.WaitGroup
		running.Go(func() { m.publish(ctx) })
		if err == nil {
			err = m.informer.Run(ctx)
		}
		stop()
		running.Wait()
		n.ended(m, err)
	}()
	return m
}

// keep is a transform that keeps the version of an object of the set, and nothing of others.
func (m *metadata) keep(obj any) (any, error) {
	key, err := cache.KeyOf(obj)
	if err != nil || !m.namespace.of.set.has(key) {
		return nil, err
	}
	if of, is := obj.(*metav1.PartialObjectMetadata); is {
		return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
			Namespace: of.Namespace, Name: of.Name, UID: of.UID, ResourceVersion: of.ResourceVersion,
		}}, nil
	}
	return obj, nil
}

// missed returns the version at which an object has to be read: "" if it has not changed since its watcher
// read it. The caller holds mu of the namespace.
func (m *metadata) missed(w *sharingWatcher) string {
	store := m.informer.Store()
	version := store.ResourceVersion() // before the look at the object
	obj, has := store.Get(types.NamespacedName{Namespace: m.namespace.name, Name: w.member.name})
	if has {
		version = obj.(metav1.Object).GetResourceVersion()
	}
	if (has || !w.absent) && newer(version, w.version) {
		return version
	}
	return ""
}

// changed has the objects read whose metadata have changed.
func (m *metadata) changed(events []cache.Event[any]) {
	m.namespace.mu.Lock()
	defer m.namespace.mu.Unlock()
	for i := range events {
		object, is := events[i].Object.(metav1.Object)
		if !is {
			continue
		}
		w := m.namespace.sharing[object.GetName()]
		if w == nil || w.of != m {
			continue
		}
		if w.pending = object.GetResourceVersion(); events[i].Type == watch.Deleted {
			w.pending = m.informer.Store().ResourceVersion() // the last state may have been missed
		}
		w.signal()
	}
}

// publish tells all that share the informer how far it has come, until ctx ends.
func (m *metadata) publish(ctx context.Context) {
	ticker := time.NewTicker(publishing)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			m.tell()
		case <-ctx.Done():
			return
		}
	}
}

func (m *metadata) tell() {
	reached := m.informer.Store().ResourceVersion()
	m.namespace.mu.Lock()
	defer m.namespace.mu.Unlock()
	for _, w := range m.namespace.sharing {
		if w.of != m {
			continue
		}
		// The handler may be behind the store, and a bookmark before a change would hide it.
		w.pending = cmp.Or(m.missed(w), w.pending)
		w.bookmark = reached
		w.signal()
	}
}

// newer reports whether a version is later than another one, or not comparable with it.
func newer(version, than string) bool {
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(than, 10, 64)
	return errA != nil || errB != nil || a > b
}
