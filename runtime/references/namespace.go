package references

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// refusedFor is for how long names have watches of their own after the server has refused to have
// metadata watched.
const refusedFor = 5 * time.Minute

// namespace shares one watch of the metadata of a namespace among those of its names that have no
// watch of their own. The watch runs while there are any.
type namespace struct {
	of       *objects
	name     string
	metadata cache.Objects // nil if each name has a watch of its own

	mu sync.Mutex
	// own counts the watches of single objects. When there are too many, crowded is set until
	// half as many names are left.
	own     int
	crowded bool
	// refused is when the server last refused the watch of metadata.
	refused time.Time

	sharing map[string]*sharingWatcher
	// watch is the one of metadata; nil if there is none. While one is being opened, opening is
	// what those wait for that want to share it.
	watch   *metadataWatch
	opening *opening
}

// opening is done when a watch of metadata is open, or has failed with err.
type opening struct {
	done chan struct{}
	err  error
	// waiting has those that are to share it.
	waiting map[*sharingWatcher]struct{}
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

// join has a watcher share the watch of metadata, which it opens if need be.
func (n *namespace) join(ctx context.Context, w *sharingWatcher) error {
	n.mu.Lock()
	if n.watch != nil && n.watch.silent() {
		n.fail(errSilent)
	}
	if n.watch != nil {
		n.share(w)
		n.mu.Unlock()
		return nil
	}
	if n.opening == nil {
		n.opening = &opening{done: make(chan struct{}), waiting: map[*sharingWatcher]struct{}{}}
		go n.open(context.WithoutCancel(ctx), n.opening)
	}
	o := n.opening
	o.waiting[w] = struct{}{}
	n.mu.Unlock()
	select {
	case <-o.done:
		return o.err
	case <-ctx.Done():
		n.leave(w)
		return context.Cause(ctx)
	}
}

// share has the watch of metadata signal a watcher. The caller holds mu.
func (n *namespace) share(w *sharingWatcher) {
	n.sharing[w.member.name] = w
	w.pending = n.watch.missedSince(w.member.name, w.version)
}

// open opens the watch, which all that wait for it then share.
func (n *namespace) open(ctx context.Context, o *opening) {
	watch, follow, err := openMetadata(ctx, n)
	n.mu.Lock()
	defer n.mu.Unlock()
	defer close(o.done)
	n.opening, o.err = nil, err
	if err != nil {
		if apierrors.IsForbidden(err) {
			n.refused = time.Now()
		}
		return
	}
	n.watch = watch
	go follow()
	for w := range o.waiting {
		n.share(w)
	}
	if len(n.sharing) == 0 {
		n.fail(nil)
	}
}

// leave ends the sharing of a watcher, and with the last one the watch.
func (n *namespace) leave(w *sharingWatcher) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.opening != nil {
		delete(n.opening.waiting, w)
	}
	if n.sharing[w.member.name] != w {
		return
	}
	delete(n.sharing, w.member.name)
	if len(n.sharing) == 0 {
		n.fail(nil)
	}
	n.disperse()
}

// track has a name read again if it changes from now on, before its watch is open.
func (n *namespace) track(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.watch != nil {
		n.watch.track(name)
	}
}

// fail ends the watch of metadata, and all that share it. No error is a watch that is not needed
// any more. The caller holds mu.
func (n *namespace) fail(err error) {
	if n.watch != nil {
		n.watch.stop()
		n.watch = nil
	}
	for _, w := range n.sharing {
		w.end(err)
	}
	clear(n.sharing)
}

// news takes what has come for a watcher.
func (n *namespace) news(w *sharingWatcher) (pending, bookmark string, failed error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	pending, bookmark, failed = w.pending, w.bookmark, w.failed
	w.pending, w.bookmark = "", ""
	return pending, bookmark, failed
}
