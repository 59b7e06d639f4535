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

// metadata is an informer of the metadata of a namespace, with the versions of its objects in its store. It
// runs while names share it. When it fails, so do all that share it, and they begin again by themselves.
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
	m.informer = cache.New(cache.Source[any]{Objects: n.metadata}, cache.Options[any]{
		Name:      fmt.Sprintf("metadata of namespace %q", n.name),
		Transform: onlyVersion,
		ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, f cache.Failure) cache.Decision {
			return cache.Decision{Quiet: true, Stop: f.Backoff > 0} // a watch that is continued is no failure
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

// onlyVersion is a transform that keeps what names are compared with.
func onlyVersion(obj any) (any, error) {
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
		changed := m.missed(w)
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
// read it, or was told to. The caller holds mu of the namespace.
func (m *metadata) missed(w *sharingWatcher) string {
	store := m.informer.Store()
	version := store.ResourceVersion() // before the look at the object
	obj, has := store.Get(types.NamespacedName{Namespace: m.namespace.name, Name: w.member.name})
	if object, is := obj.(metav1.Object); is {
		version = object.GetResourceVersion()
	}
	if !has && w.absent || version == w.missed || !newer(version, w.version) {
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
