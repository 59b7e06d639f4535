package cache

import (
	"context"
	"errors"
	"runtime/debug"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// raisingHandler passes a panic of a handler to another goroutine, which raises it, and does not call the
// handler again. If ReallyCrash is off, it only calls the handler.
type raisingHandler struct {
	handler ResourceEventHandler
	// logger logs panics in the handler's goroutine, since only that goroutine has the handler's stack.
	logger klog.Logger
	// alive ends with the panic, a *failure.PanicError, as its cause.
	alive context.Context
	die   context.CancelCauseFunc
}

func newRaisingHandler(handler ResourceEventHandler, logger klog.Logger) *raisingHandler {
	h := &raisingHandler{handler: handler, logger: logger}
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

func (h *raisingHandler) OnRelease(last any) {
	h.call(func() { release(h.handler, last) })
}

func (h *raisingHandler) call(handle func()) {
	if h.alive.Err() != nil {
		return
	}
	if !utilruntime.ReallyCrash {
		handle()
		return
	}
	defer func() {
		if value := recover(); value != nil {
			h.die(&failure.PanicError{Value: value, Stack: debug.Stack()})
		}
	}()
	defer utilruntime.HandleCrashWithLogger(h.logger) // it logs and panics again
	handle()
}

// raise panics with the handler's panic, if there was one.
func (h *raisingHandler) raise() {
	var panicked *failure.PanicError
	if errors.As(context.Cause(h.alive), &panicked) {
		panic(panicked.Value)
	}
}
