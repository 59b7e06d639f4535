package cache

import (
	"context"
	"runtime/debug"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// panicPause is the backoff of a handler after a panic. When the same event
	// is retried, the backoff doubles from panic to panic up to longestPanicPause.
	panicPause        = time.Second
	longestPanicPause = time.Minute
)

func (l *listener) logPanic(ctx context.Context) {
	if value := recover(); value != nil {
		err := &failure.PanicError{Value: value, Stack: debug.Stack()}
		klog.FromContext(l.context(ctx)).Error(err, "Handler panicked")
		l.interrupted(ctx, value)
	}
}

// crashContext returns ctx with the logger that HandleCrash logs a panic with: the
// handler's own, as it was given, so that the line is the one of client-go.
func (l *listener) crashContext(ctx context.Context) context.Context {
	if l.options.Logger == nil {
		return l.context(ctx)
	}
	return klog.NewContext(ctx, *l.options.Logger)
}

// logCrash returns what logs the name of a handler that has panicked.
func (l *listener) logCrash(ctx context.Context) func(context.Context, any) {
	return func(context.Context, any) { klog.FromContext(l.context(ctx)).Error(nil, "Handler panicked") }
}

// interrupted notes a call that ended in a panic, and whether it is to be made again.
func (l *listener) interrupted(context.Context, any) {
	l.panicked = true
	l.progress.Panicked()
	l.again = l.options.OnPanic == PanicRetry
	if l.batch != nil && !l.again {
		l.batch.drop()
	}
}

// pauseAfterPanic returns the backoff of the handler.
func (l *listener) pauseAfterPanic() time.Duration {
	pause := panicPause
	if l.again {
		pause = max(l.pause, panicPause)
		l.pause = min(2*pause, longestPanicPause)
	}
	return pause
}

// repeatCall makes the call again that ended in a panic.
func (l *listener) repeatCall() {
	if l.batch == nil {
		l.call(l.current)
	}
	l.flush()
}
