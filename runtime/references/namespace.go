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

// refusedFor is the time for which a refusal of the server counts. If the server has refused the metadata,
// each name has its own watch for that time. A name that the server refuses stays in a set on demand for
// that time.
const refusedFor = 5 * time.Minute

// namespace shares one informer of a namespace's metadata among its names without a watch of their own.
type namespace struct {
	of       *objects
	name     string
	metadata cache.Objects // nil if each name must have its own watch

	mu sync.Mutex
	// own counts the watches of single objects. crowded is set when they reach the limit, until half as
	// many names are left.
	own     int
	crowded bool
	// refused is when the server last refused the metadata.
	refused time.Time

	// shared is the informer of the metadata, or nil if no watcher shares it. sharing holds the watchers
	// that share it, by name.
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

// takeWatch reports whether another name may have its own watch. If so, it counts the watch.
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

// returnWatch takes back one watch that takeWatch has counted.
func (n *namespace) returnWatch() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.own--
	n.disperse()
}

// disperse ends the sharing when few names are left, so that each opens its own watch again. The caller
// holds mu.
func (n *namespace) disperse() {
	if limit := n.of.options.Watches; !n.crowded || n.own+len(n.sharing) > limit/2 || limit <= 0 {
		return
	}
	n.crowded = false
	n.fail(nil)
}

// join lets a watcher share the informer of the metadata, and waits until the informer is in sync. The
// first watcher starts it.
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

// leave ends the sharing of a watcher. The last watcher that leaves stops the informer. leave returns when
// all goroutines of a stopped informer have ended.
func (n *namespace) leave(w *sharingWatcher) {
	if n.leaves(w) {
		<-w.of.ended
	}
}

// leaves removes a watcher, and reports whether the informer that it shared has stopped.
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

// fail ends the informer of the metadata and all watchers that share it. err is nil if the informer is not
// needed any more. The caller holds mu.
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

// knows notes the version up to which a watcher knows its object.
func (n *namespace) knows(w *sharingWatcher, version string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	w.version = version
}

// news returns what has arrived for a watcher, and clears it.
func (n *namespace) news(w *sharingWatcher) (pending, bookmark string, failed error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	pending, bookmark, failed = w.pending, w.bookmark, w.failed
	w.pending, w.bookmark = "", ""
	return pending, bookmark, failed
}
