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

	"github.com/informer-gen/informer-gen/runtime/cache"
)

const (
	// comparing is the minimum time between two comparisons of the names with the metadata.
	comparing = time.Second / 10
	// publishing is the interval at which the watchers of names learn the version of the metadata. Servers
	// send a bookmark about once a minute.
	publishing = 30 * time.Second
)

// metadata is an informer of the changes of metadata in a namespace. Its store has the names of the set
// that have changed since it began. It runs while names share it. When it fails, all watchers that share it
// fail, and start again on their own.
type metadata struct {
	namespace *namespace
	informer  *cache.Informer[any]
	stop      context.CancelFunc
	// committed has a value when the store has changed since the last comparison.
	committed chan struct{}
	// over is set when no watcher shares it any more, and err says why it has ended. The namespace's mu
	// guards both. ended is closed when all goroutines have ended.
	over  bool
	err   error
	ended chan struct{}
}

// startMetadata starts the informer.
func startMetadata(n *namespace) *metadata {
	ctx, stop := context.WithCancel(context.Background()) // it may outlast the first name that needs it
	m := &metadata{namespace: n, stop: stop, committed: make(chan struct{}, 1), ended: make(chan struct{})}
	m.informer = cache.New(cache.Source[any]{Objects: changes{n.metadata}}, cache.Options[any]{
		Name:      fmt.Sprintf("metadata of namespace %q", n.name),
		Transform: m.keep,
		ListWatch: cache.ListWatch{OnFailure: func(context.Context, cache.Failure) cache.Decision {
			return cache.Decision{Quiet: true, Stop: true}
		}},
		Metrics: cache.Metrics{Committed: func(time.Duration, string) {
			select {
			case m.committed <- struct{}{}:
			default:
			}
		}},
	})
	go func() {
		defer close(m.ended)
		var running sync.WaitGroup
		running.Go(func() { m.follow(ctx) })
		err := m.informer.Run(ctx)
		stop()
		running.Wait()
		n.ended(m, err)
	}()
	return m
}

// keep is a transform that keeps the version of an object in the set. It drops all other objects.
func (m *metadata) keep(obj any) (any, error) {
	key, err := cache.KeyOf(obj)
	if err != nil || !m.namespace.of.set.has(key) {
		return nil, err
	}
	of, is := obj.(*metav1.PartialObjectMetadata)
	if !is {
		return obj, nil
	}
	return &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{
		Namespace: of.Namespace, Name: of.Name, UID: of.UID, ResourceVersion: of.ResourceVersion,
	}}, nil
}

// follow compares the names with the metadata when the metadata has changed, and publishes the version of
// the metadata at times, until ctx ends.
func (m *metadata) follow(ctx context.Context) {
	ticker := time.NewTicker(publishing)
	defer ticker.Stop()
	for {
		select {
		case <-m.committed:
			m.compare(false)
			select {
			case <-time.After(comparing):
			case <-ctx.Done():
				return
			}
		case <-ticker.C:
			m.compare(true)
		case <-ctx.Done():
			return
		}
	}
}

// compare tells the watchers of objects that have changed to read them. If publish is set, all watchers get
// the version of the metadata, since they have been compared with it.
func (m *metadata) compare(publish bool) {
	reached := m.informer.Store().ResourceVersion()
	m.namespace.mu.Lock()
	defer m.namespace.mu.Unlock()
	for _, w := range m.namespace.sharing {
		if w.of != m {
			continue
		}
		changed := m.missed(w, false)
		w.pending = cmp.Or(changed, w.pending)
		if publish {
			w.bookmark = reached
		}
		if publish || changed != "" {
			w.signal()
		}
	}
}

// missed returns the version at which a watcher must read its object. It is "" if the object has not
// changed since the watcher read it or was told to read it. Set joins if the watcher may have read the
// object before the informer began. The caller holds the namespace's mu.
func (m *metadata) missed(w *sharingWatcher, joins bool) string {
	store := m.informer.Store()
	version := store.ResourceVersion() // read before the object
	obj, has := store.Get(types.NamespacedName{Namespace: m.namespace.name, Name: w.member.name})
	if object, is := obj.(metav1.Object); is {
		version = object.GetResourceVersion()
	}
	if !has && !joins || version == w.missed || !newer(version, w.version) {
		return ""
	}
	w.missed = version
	return version
}

// newer reports whether a version is later than another one. Versions that can't be compared count as
// newer.
func newer(version, than string) bool {
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(than, 10, 64)
	return errA != nil || errB != nil || a > b
}
