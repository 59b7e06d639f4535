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
	// comparing is the least time between two comparisons of names with the metadata.
	comparing = time.Second / 10
	// publishing is the time after which names learn how far the metadata have come. Servers send a
	// bookmark about once a minute.
	publishing = 30 * time.Second
)

// metadata is an informer of the changes of metadata in a namespace: its store has the names of the set that
// have changed since it began. It runs while names share it. At its first failure all that share it fail,
// and begin again by themselves.
type metadata struct {
	namespace *namespace
	informer  *cache.Informer[any]
	stop      context.CancelFunc
	// committed has a value when the store has changed since the last comparison.
	committed chan struct{}
	// over is set when nobody shares it any more, and err is why it has ended; both are guarded by the
	// namespace. ended is closed when nothing of it runs any more.
	over  bool
	err   error
	ended chan struct{}
}

// startMetadata starts the informer.
func startMetadata(n *namespace) *metadata {
	ctx, stop := context.WithCancel(context.Background()) // it may outlast the name that needs it first
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

// keep is a transform that keeps the version of an object of the set, and nothing of others.
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

// follow compares names with the metadata when these have changed, and now and then tells them how far the
// metadata have come, until ctx ends.
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

// compare has the objects read that have changed. Publish tells all names how far the metadata have come,
// which they have then been compared with.
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

// missed returns the version at which an object has to be read: "" if it has not changed since its watcher
// read it, or was told to. Joins is set if the watcher may have read it before the informer began. The caller
// holds mu of the namespace.
func (m *metadata) missed(w *sharingWatcher, joins bool) string {
	store := m.informer.Store()
	version := store.ResourceVersion() // before the look at the object
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

// newer reports whether a version is later than another one, or not comparable with it.
func newer(version, than string) bool {
	a, errA := strconv.ParseUint(version, 10, 64)
	b, errB := strconv.ParseUint(than, 10, 64)
	return errA != nil || errB != nil || a > b
}
