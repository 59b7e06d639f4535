package cache

import (
	"context"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// scope stands for the objects that one reflector lists and watches: everything, one of several namespaces
// or, in an informer of a set of names, one object.
type scope struct {
	// key has the namespace, and the name of an object. It is empty for everything.
	key      types.NamespacedName
	source   Objects
	recorder *statusRecorder
	// stop ends the reflector. It is nil before the reflector starts.
	stop context.CancelFunc
	gate gate
	// delivered is set by the reflector's goroutine once it has delivered a whole list.
	delivered bool
	// listed is set when the store has a whole list of the scope.
	listed atomic.Bool

	// The fields below are guarded by mu of scopes.

	// version is the version that the store has reached. restarts counts how often that was an earlier
	// version than before, since the server's history had restarted.
	version  string
	restarts int
	// sequence says which objects the source selected for the last list. Nil means all.
	sequence *decoding.Sequence
	// refusals says whether the scope is left out until it is listed. refusal is the last refusal.
	refusals protocol.Refusals
	refusal  error
	// left is set when the scope has left the informer.
	left bool
}

// gate passes on the deltas of a reflector until it is closed.
type gate struct {
	mu     sync.Mutex
	closed bool
}

// pass passes a delta on, or drops it.
func (g *gate) pass(d delta, push func(delta)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		push(d)
	}
}

// close closes the gate. Every delta that the gate has passed is in the queue then.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// everything reports whether the scope stands for all objects of the source.
func (s *scope) everything() bool { return s == nil || s.key == types.NamespacedName{} }

// has reports whether an object belongs to the scope.
func (s *scope) has(key types.NamespacedName) bool {
	return s.everything() || s.key.Namespace == key.Namespace && (s.key.Name == "" || s.key.Name == key.Name)
}

// logger returns ctx with a logger that names the scope.
func (s *scope) logger(ctx context.Context) context.Context {
	switch logger := klog.FromContext(ctx); {
	case s.key.Name != "":
		return klog.NewContext(ctx, logger.WithValues("object", objectkey.String(s.key)))
	case s.key.Namespace != "":
		return klog.NewContext(ctx, logger.WithValues("namespace", s.key.Namespace))
	}
	return ctx
}
