package references

import (
	"context"
	"sync"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// refusedFor is the time in which a refusal of the server counts. When it has refused the metadata, names
// have watches of their own meanwhile. A name that it refuses stays in a set on demand.
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
	cancel context.CancelFunc
	done   chan struct{}
	err    error
	// waiting has the watchers that will share it. When the last one leaves, it is given up.
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
		toOpen, cancel := context.WithCancel(context.WithoutCancel(ctx)) // which may outlast this watcher
		n.opening = &opening{cancel: cancel, done: make(chan struct{}), waiting: map[*sharingWatcher]struct{}{}}
		go n.open(toOpen, n.opening)
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
	n.sharing[w.member.name], w.of = w, n.watch
	w.pending = n.watch.missedSince(w.member.name, w.version)
}

// open opens the watch, which all that wait for it then share, and follows it until it ends.
func (n *namespace) open(ctx context.Context, o *opening) {
	defer o.cancel()
	watch, follow, err := openMetadata(ctx, n)
	shared := n.opened(o, watch, err)
	if !shared && err == nil { // it was given up meanwhile
		watch.stop()
		follow()
	}
	close(o.done)
	if shared {
		follow()
		close(watch.ended)
	}
}

// opened notes how the opening of a watch has ended, and reports whether the watch is shared now.
func (n *namespace) opened(o *opening, watch *metadataWatch, err error) (shared bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if o.err = err; n.opening != o {
		return false
	}
	n.opening = nil
	if err != nil {
		if apierrors.IsForbidden(err) {
			n.refused = time.Now()
		}
		return false
	}
	n.watch = watch
	for w := range o.waiting {
		n.share(w)
	}
	return true
}

// leave ends the sharing of a watcher, and with the last one the watch. It returns when nothing is left
// of this.
func (n *namespace) leave(w *sharingWatcher) {
	for _, ended := range n.leaves(w) {
		<-ended
	}
}

func (n *namespace) leaves(w *sharingWatcher) (ending []<-chan struct{}) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if o := n.opening; o != nil && o.waits(w) {
		if delete(o.waiting, w); len(o.waiting) == 0 {
			o.cancel()
			n.opening, ending = nil, append(ending, o.done)
		}
	}
	if n.sharing[w.member.name] == w {
		delete(n.sharing, w.member.name)
		if len(n.sharing) == 0 {
			n.fail(nil)
		}
		n.disperse()
	}
	if w.of != nil && w.of.over {
		ending = append(ending, w.of.ended)
	}
	return ending
}

func (o *opening) waits(w *sharingWatcher) bool {
	_, waits := o.waiting[w]
	return waits
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
		n.watch.over = true
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
