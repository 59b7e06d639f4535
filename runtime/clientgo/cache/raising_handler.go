package cache

import (
	"context"
	"errors"
	"runtime/debug"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// raisingHandler keeps a panic of a handler for another goroutine, and does not
// call the handler again after it. If panics are not to end the process, it leaves
// them alone.
type raisingHandler struct {
	handler ResourceEventHandler
	// alive ends with the panic, a *core.PanicError, as its cause.
	alive context.Context
	die   context.CancelCauseFunc
}

func newRaisingHandler(handler ResourceEventHandler) *raisingHandler {
	h := &raisingHandler{handler: handler}
	h.alive, h.die = context.WithCancelCause(context.Background())
	return h
}

func (h *raisingHandler) OnAdd(obj any, isInInitialList bool) {
	h.call(func() { h.handler.OnAdd(obj, isInInitialList) })
}

func (h *raisingHandler) OnUpdate(oldObj, newObj any) {
	h.call(func() { h.handler.OnUpdate(oldObj, newObj) })
}

func (h *raisingHandler) OnDelete(obj any) {
	h.call(func() { h.handler.OnDelete(obj) })
}

func (h *raisingHandler) call(handle func()) {
	if h.alive.Err() != nil {
		return
	}
	defer func() {
		if !utilruntime.ReallyCrash {
			return
		}
		if value := recover(); value != nil {
			h.die(&core.PanicError{Value: value, Stack: debug.Stack()})
		}
	}()
	handle()
}

// raise panics as the handler did, if it did.
func (h *raisingHandler) raise(ctx context.Context) {
	var panicked *core.PanicError
	if errors.As(context.Cause(h.alive), &panicked) {
		klog.FromContext(ctx).Error(panicked, "Handler panicked")
		panic(panicked.Value)
	}
}
