package references

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// refusedFor is the time in which a refusal of the server counts. When it has refused the metadata, names
// have watches of their own meanwhile. A name that it refuses stays in a set on demand.
const refusedFor = 5 * time.Minute

// namespace shares one informer of the metadata of a namespace among its names that have no watch of
// their own.
type namespace struct {
	of       *objects
	name     string
	metadata cache.Objects // nil if each name has a watch of its own

	mu sync.Mutex
	// own counts the watches of single objects. When there are too many, crowded is set until
	// half as many names are left.
	own     int
	crowded bool
	// refused is when the server last refused the metadata.
	refused time.Time

	// shared is the informer of metadata, and sharing has the watchers that share it. It is nil if there
	// are none.
	shared  *metadata
	sharing map[string]*sharingWatcher
}

func newNamespace(of *objects, name string) *namespace {
	n := &namespace{of: of, name: name, sharing: map[string]*sharingWatcher{}}
	if of.metadata != nil {
		n.metadata = of.metadata(name)
	}
	return n
}

// takeWatch reports whether another name may have a watch of its own, and counts it.
func (n *namespace) takeWatch() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.own >= n.of.options.Watches {
		n.crowded = true
	}
	if n.crowded && n.metadata != nil && time.Since(n.refused) > refusedFor {
		return false
	}
	n.own++
	return true
}

// returnWatch gives back what takeWatch has counted.
func (n *namespace) returnWatch() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.own--
	n.disperse()
}

// disperse has names watch by themselves again when there are few. The caller holds mu.
func (n *namespace) disperse() {
	if limit := n.of.options.Watches; !n.crowded || n.own+len(n.sharing) > limit/2 || limit <= 0 {
		return
	}
	n.crowded = false
	n.fail(nil)
}

// join has a watcher share the informer of metadata, which it starts if need be, and waits until that is in
// sync.
func (n *namespace) join(ctx context.Context, w *sharingWatcher) error {
	n.mu.Lock()
	if n.shared == nil {
		n.shared = startMetadata(n)
	}
	m := n.shared
	n.sharing[w.member.name], w.of = w, m
	n.mu.Unlock()
	select {
	case <-m.informer.Synced():
	case <-m.ended:
		return m.err
	case <-ctx.Done():
		n.leave(w)
		return context.Cause(ctx)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	w.pending = cmp.Or(w.pending, m.missed(w, true))
	return nil
}

// leave ends the sharing of a watcher, and with the last one the informer. It returns when nothing is left
// of an informer that has stopped.
func (n *namespace) leave(w *sharingWatcher) {
	if n.leaves(w) {
		<-w.of.ended
	}
}

// leaves reports whether the informer that the watcher shared has stopped.
func (n *namespace) leaves(w *sharingWatcher) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.sharing[w.member.name] == w {
		delete(n.sharing, w.member.name)
		if len(n.sharing) == 0 {
			n.fail(nil)
		}
		n.disperse()
	}
	return w.of.over
}

// ended notes why an informer of metadata has ended.
func (n *namespace) ended(m *metadata, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		m.err = fmt.Errorf("watch of metadata: %w", err)
	}
	if apierrors.IsForbidden(err) {
		n.refused = time.Now()
	}
	if n.shared == m {
		n.fail(m.err)
	}
}

// fail ends the informer of metadata, and all that share it. No error is an informer that is not needed
// any more. The caller holds mu.
func (n *namespace) fail(err error) {
	if n.shared != nil {
		n.shared.over = true
		n.shared.stop()
		n.shared = nil
	}
	for _, w := range n.sharing {
		w.end(err)
	}
	clear(n.sharing)
}

// knows notes up to which version a watcher knows its object.
func (n *namespace) knows(w *sharingWatcher, version string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w.version = version
}

// news takes what has come for a watcher.
func (n *namespace) news(w *sharingWatcher) (pending, bookmark string, failed error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	pending, bookmark, failed = w.pending, w.bookmark, w.failed
	w.pending, w.bookmark = "", ""
	return pending, bookmark, failed
}
