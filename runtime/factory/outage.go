package factory

import (
	"context"
	"sync"
	"time"

	"k8s.io/klog/v2"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// outageDelay is how long the log of an outage waits for other informers that fail
// after the first.
const outageDelay = time.Second

// outageLog logs once for all informers of a factory that can't reach their server,
// or get no answer from it: one line when they fail and one when all of them work
// again. Informers that fail more than outageDelay after the first are of another
// outage: one informer that does not recover must not hide what happens to others.
// Failures that concern one resource, as 403 and 404 do, are of no outage; the
// informers log them themselves. The zero value is ready.
type outageLog struct {
	mu sync.Mutex
	// begun is the outage that informers which fail now are of, or nil.
	begun *outage
}

// outage is what happens to informers that fail at about the same time.
type outage struct {
	begin time.Time
	// err is the first failure, and logger that of its informer, which it names.
	err    error
	logger klog.Logger
	// informers counts those that failed, failing those that still do, and
	// recovered those that work again.
	informers, failing, recovered int
	// told is set when the begin was logged.
	told bool
}

// outageReporter is the core.Reporter of one informer.
type outageReporter struct {
	log *outageLog
	// outage is the one that the informer is part of, or nil. Log.mu guards it.
	outage *outage
	// unbind frees the context of the informer while it is part of an outage.
	unbind func() bool
}

// Failed makes the informer part of an outage, if the failure is of one.
func (r *outageReporter) Failed(ctx context.Context, err error) bool {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	if !ofOutage(err) {
		r.leave(false)
		return false
	}
	if r.outage == nil {
		r.outage = r.log.join(ctx, err)
		r.unbind = context.AfterFunc(ctx, r.stopped)
	}
	return true
}

// Recovered ends the informer's part of an outage, if it is part of one.
func (r *outageReporter) Recovered(context.Context, int) bool {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.leave(true)
}

// stopped is called when the informer's context has ended.
func (r *outageReporter) stopped() {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.leave(false)
}

// leave ends the informer's part of an outage, and reports whether it was part of
// one. The caller holds log.mu.
func (r *outageReporter) leave(recovered bool) bool {
	o := r.outage
	if o == nil {
		return false
	}
	r.unbind()
	r.outage = nil
	o.failing--
	if recovered {
		o.recovered++
	}
	o.tellEnd()
	return true
}

// ofOutage is true for failures that do not depend on the resource.
func ofOutage(err error) bool {
	switch core.ClassOf(err) {
	case core.ClassConnection, core.ClassServerError, core.ClassTooManyRequests:
		return true
	default:
		return false
	}
}

// join counts one more informer that fails, and returns the outage that it is part
// of. The caller holds mu.
func (l *outageLog) join(ctx context.Context, err error) *outage {
	if l.begun == nil {
		o := &outage{begin: time.Now(), err: err, logger: klog.FromContext(ctx)}
		l.begun = o
		time.AfterFunc(outageDelay, func() { l.tellBegin(o) })
	}
	l.begun.informers++
	l.begun.failing++
	return l.begun
}

// tellBegin logs that an outage has begun, unless all of its informers have stopped
// or told of another failure since.
func (l *outageLog) tellBegin(o *outage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun = nil
	switch {
	case o.failing == 0 && o.recovered == 0:
		return
	case o.informers == 1:
		o.logger.Error(o.err, "List or watch failed, trying again")
	default:
		o.logger.Error(o.err, "List or watch failed, trying again", "others", o.informers-1)
	}
	o.told = true
	o.tellEnd()
}

// tellEnd logs that an outage is over when that is so. The caller holds the log's mu.
func (o *outage) tellEnd() {
	after := time.Since(o.begin).Round(time.Second)
	switch {
	case !o.told, o.failing > 0, o.recovered == 0:
	case o.informers == 1:
		o.logger.Info("List or watch works again", "after", after)
	default:
		o.logger.Info("List or watch works again", "informers", o.recovered, "after", after)
	}
}
