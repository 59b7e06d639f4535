// Package outage logs an outage of a server once for all informers that it concerns. Each informer reports
// failures and recoveries to its Reporter. The reporters share a Log, which decides which failures belong
// to one outage.
package outage

import (
	"context"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// outageDelay is the time for which the log line of an outage waits for more informers to fail.
	outageDelay = time.Second

	// busyDelay is the same if the server asks to wait. It asks for a second when a resource was just
	// defined: if the next request succeeds, nothing is logged.
	busyDelay = 3 * time.Second

	// outageWindow limits the time between two informers' failures of one outage. The outage may end
	// earlier.
	outageWindow = 30 * time.Second

	// settling limits how long a server may refuse a resource that it will serve: a server that has just
	// started answers 403 until it has read its roles.
	settling = 10 * time.Second
)

// Log logs an outage once for all informers that share it and can't reach their server, or get no response.
// It writes one line when they fail and one when all of them have recovered. An informer that fails more
// than outageWindow after all others belongs to another outage, so that one informer that does not recover
// can't hide failures of others. Failures that concern one resource, such as 403 and 404, belong to no
// outage. They are logged one by one, at the end of an outage only if they last. The zero value is ready.
type Log struct {
	mu sync.Mutex
	// begun is the outage that a failing informer joins now, or nil.
	begun *outage
}

// outage is a failure of several informers at about the same time.
type outage struct {
	begin time.Time
	// last is when the last of its informers started to fail.
	last time.Time
	// err is the first failure. logger is the logger of its informer, which it names.
	err    error
	logger klog.Logger
	// informers counts the informers that failed, failing the ones that still fail, and recovered the ones
	// that have recovered.
	informers, failing, recovered int
	// logged is set once the beginning was logged, and over once the end was.
	logged, over bool
}

// Reporter reports the failures of one informer.
type Reporter struct {
	// Log is the log that the informers share. Nil logs nothing.
	Log *Log
	// OfNames is set if the failures concern single objects. Then every failure belongs to an outage.
	OfNames bool
	// outage is the outage that the informer is part of, or nil. Log.mu guards it.
	outage *outage
	// refused logs after a while that the server refuses the informer. It is nil if the server does not.
	refused *time.Timer
}

// Failed makes the informer part of an outage if the failure belongs to one, and reports whether it does.
// If so, the Log logs the failure.
func (r *Reporter) Failed(ctx context.Context, err error) bool {
	if r.Log == nil {
		return false
	}
	r.Log.mu.Lock()
	defer r.Log.mu.Unlock()
	r.calm()
	refused := !r.OfNames && !ofOutage(err)
	if r.outage == nil {
		if refused && !r.Log.open() {
			return false
		}
		r.outage = r.Log.join(ctx, err)
	}
	if refused {
		o := r.outage
		r.refused = time.AfterFunc(settling, func() { r.stay(ctx, o, err) })
	}
	return true
}

// stay logs a failure that has outlasted the informer's outage.
func (r *Reporter) stay(ctx context.Context, o *outage, err error) {
	r.Log.mu.Lock()
	defer r.Log.mu.Unlock()
	if r.outage == o && r.leave(false) {
		klog.FromContext(ctx).Error(err, "List or watch failed, trying again")
	}
}

func (r *Reporter) calm() {
	if r.refused != nil {
		r.refused.Stop()
		r.refused = nil
	}
}

// Recovered ends the informer's part of an outage, and reports whether it was part of one.
func (r *Reporter) Recovered() bool {
	if r.Log == nil {
		return false
	}
	r.Log.mu.Lock()
	defer r.Log.mu.Unlock()
	return r.leave(true)
}

// Stopped is called when the informer has stopped.
func (r *Reporter) Stopped() {
	if r.Log == nil {
		return
	}
	r.Log.mu.Lock()
	defer r.Log.mu.Unlock()
	r.leave(false)
}

// leave ends the informer's part of an outage, and reports whether it was part of
// one. The caller holds log.mu.
func (r *Reporter) leave(recovered bool) bool {
	o := r.outage
	if o == nil {
		return false
	}
	r.calm()
	r.outage = nil
	o.failing--
	if recovered {
		o.recovered++
	}
	o.logEnd()
	return true
}

// ofOutage reports whether a failure does not depend on the resource.
func ofOutage(err error) bool {
	switch failure.ClassOf(err) {
	case failure.ClassConnection, failure.ClassServerError, failure.ClassTooManyRequests:
		return true
	default:
		return false
	}
}

// isBusy reports whether a failure means that the server asks to wait.
func isBusy(err error) bool { return failure.ClassOf(err) == failure.ClassTooManyRequests }

// open reports whether there is an outage that more informers can join. The caller holds mu.
func (l *Log) open() bool {
	return l.begun != nil && !l.begun.over && time.Since(l.begun.last) <= outageWindow
}

// join counts one more failing informer, and returns the outage that it is part of. The caller holds mu.
func (l *Log) join(ctx context.Context, err error) *outage {
	if !l.open() {
		o := &outage{begin: time.Now(), err: err, logger: klog.FromContext(ctx)}
		l.begun = o
		delay := outageDelay
		if isBusy(err) {
			delay = busyDelay
		}
		time.AfterFunc(delay, func() { l.logBegin(o) })
	}
	l.begun.last = time.Now()
	l.begun.informers++
	l.begun.failing++
	return l.begun
}

// logBegin logs that an outage has begun. It does not if all of its informers have stopped or reported
// another failure since, or if the server has answered after it asked to wait.
func (l *Log) logBegin(o *outage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case o.failing == 0 && (o.recovered == 0 || isBusy(o.err)):
		o.over = true
		return
	case o.informers == 1:
		o.logger.Error(o.err, "List or watch failed, trying again")
	default:
		o.logger.Error(o.err, "List or watch failed, trying again", "others", o.informers-1)
	}
	o.logged = true
	o.logEnd()
}

// logEnd logs that an outage is over, if it is. The caller holds the log's mu.
func (o *outage) logEnd() {
	after := time.Since(o.begin).Round(time.Second)
	if !o.logged || o.over || o.failing > 0 {
		return
	}
	o.over = true
	switch {
	case o.recovered == 0:
	case o.informers == 1:
		o.logger.Info("List or watch works again", "after", after)
	default:
		o.logger.Info("List or watch works again", "informers", o.recovered, "after", after)
	}
}
