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

// scope has the objects that one reflector lists and watches: everything, a namespace of several or,
// in an informer of a set of names, one object.
type scope struct {
	// key has the namespace, and the name of an object. It is empty for everything.
	key      types.NamespacedName
	source   Objects
	recorder *statusRecorder
	// stop ends the reflector; nil before its start.
	stop context.CancelFunc
	gate gate
	// delivered is set by the reflector, in its goroutine, when it has delivered a whole list.
	delivered bool
	// listed is set when the store has a whole list of the scope.
	listed atomic.Bool

	// What is below is guarded by mu of scopes.

	// version is the one that the store has reached. Restarts counts how often that was an
	// earlier one, since the server's history had restarted.
	version  string
	restarts int
	// sequence has the part of the objects that was listed last; nil is all.
	sequence *decoding.Sequence
	// refusals say whether the scope is left out, until it is listed, and refusal is the last of them.
	refusals protocol.Refusals
	refusal  error
	// left is set when the scope is none of the informer's any more.
	left bool
}

// gate passes the deltas of a reflector on until it is closed.
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

// close closes the gate. Every delta that it has passed is in the queue then.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}

// everything reports whether the scope is all objects of the source.
func (s *scope) everything() bool { return s == nil || s.key == types.NamespacedName{} }

// has reports whether an object is of the scope.
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
