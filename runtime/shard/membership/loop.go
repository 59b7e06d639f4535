package membership

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// loop is one session of a member: from the creation of a Lease until it is deleted or lost.
// One goroutine has all of its fields. Requests and timers have goroutines of their own, which
// send what the loop calls.
type loop struct {
	member  *Member
	options Options
	clock   clock
	logger  klog.Logger
	stop    context.Context // ends when this member has to leave

	requests context.Context // ends with the loop
	cancel   context.CancelFunc
	running  sync.WaitGroup
	calls    chan func()
	done     chan struct{} // closed when nobody receives calls any more

	session string
	ended   bool
	err     error // why it has

	// What is about the own Lease.
	lease     *coordinationv1.Lease // as it was read or written last; nil before it is created
	acquired  time.Time
	mark      mark
	leaving   bool
	renewing  bool
	removing  bool
	again     bool // renew as soon as the request that runs has returned
	renewStop func() bool
	leaveStop func() bool

	// What is about the Leases of the group.
	view     *view // nil before the first read
	seen     observations
	reading  bool
	writing  bool
	pollStop func() bool
	// released and epoch are those of situation.
	released shard.Ranges
	epoch    int64
	// due is since when it is known that one of the members has to do something.
	due map[string]instant
	// members is who there was since an instant, while the Lease of the group was the same.
	members      []string
	membersSince instant
	partsChecked instant
}

func newLoop(ctx context.Context, m *Member) *loop {
	l := &loop{
		member:   m,
		options:  m.options,
		clock:    m.clock,
		logger:   klog.FromContext(ctx),
		stop:     ctx,
		calls:    make(chan func()),
		done:     make(chan struct{}),
		session:  newSession(m.options.Group),
		acquired: time.Now(),
		due:      map[string]instant{},
	}
	l.requests, l.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return l
}

// run returns when the session has ended: nil if all was handed over.
func (l *loop) run() error {
	l.member.report(func(s *Status) { s.Phase, s.Lease = Joining, l.session })
	l.renew()
	stop := l.stop.Done()
	for !l.ended {
		select {
		case call := <-l.calls:
			call()
		case <-l.member.idle:
			l.step()
		case <-stop:
			stop = nil
			l.leave()
		}
	}
	close(l.done)
	l.cancel()
	for _, stop := range []func() bool{l.renewStop, l.leaveStop, l.pollStop} {
		if stop != nil {
			stop()
		}
	}
	l.running.Wait()
	if l.leaving && errors.Is(l.err, errExpired) {
		return nil // others have taken what this member had
	}
	return l.err
}

// end ends the session.
func (l *loop) end(err error) { l.ended, l.err = true, cmp.Or(l.err, err) }

// call has f called by the loop.
func (l *loop) call(f func()) {
	select {
	case l.calls <- f:
	case <-l.done:
	}
}

// request runs a request with a timeout, and then calls what it returns in the loop.
func (l *loop) request(send func(context.Context) (then func())) {
	l.running.Go(func() {
		ctx, cancel := context.WithTimeout(l.requests, l.options.LeaseDuration/4)
		defer cancel()
		l.call(send(ctx))
	})
}

// timer replaces a timer with one that calls f in the loop.
func (l *loop) timer(stop *func() bool, after time.Duration, f func()) {
	if *stop != nil {
		(*stop)()
	}
	*stop = l.clock.after(after, func() { l.call(f) })
}

// failed records an error of a request.
func (l *loop) failed(what string, err error) {
	l.logger.V(2).Info("Request failed", "request", what, "err", err)
	l.member.report(func(s *Status) { s.fail(what, err) })
}

// leave begins to hand everything over.
func (l *loop) leave() {
	l.leaving = true
	l.member.report(func(s *Status) { s.Phase = Leaving })
	l.timer(&l.leaveStop, l.options.DrainTimeout+l.options.LeaseDuration/2, func() { l.end(errNotHandedOver) })
	if l.lease == nil && !l.renewing {
		l.remove()
		return
	}
	l.renew()
	l.read()
}

// renew creates or renews the Lease.
func (l *loop) renew() {
	if l.renewing {
		l.again = true
		return
	}
	if l.unread() > l.options.LeaseDuration {
		// Who can't read would never hand anything over.
		l.timer(&l.renewStop, l.options.RenewInterval/2, l.renew)
		return
	}
	l.renewing, l.again = true, false
	lease := l.options.lease(l.session, l.mark, l.leaving, l.acquired)
	if l.lease != nil {
		lease.ResourceVersion, lease.UID = l.lease.ResourceVersion, l.lease.UID
	}
	l.request(func(ctx context.Context) func() {
		began, err := l.clock.now(), error(nil)
		if lease.ResourceVersion == "" {
			lease, err = l.create(ctx, lease)
		} else {
			lease, began, err = renew(ctx, l.member.leases, l.clock, lease)
		}
		return func() { l.renewed(lease, began, err) }
	})
}

// create creates the Lease. It may have been, by a request whose response was lost.
func (l *loop) create(ctx context.Context, lease *coordinationv1.Lease) (*coordinationv1.Lease, error) {
	created, err := l.member.leases.Create(ctx, lease, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return l.member.leases.Get(ctx, lease.Name, metav1.GetOptions{})
	}
	return created, err
}

func (l *loop) renewed(lease *coordinationv1.Lease, began instant, err error) {
	l.renewing = false
	switch {
	case errors.Is(err, errExpired):
		l.end(err)
		return
	case err != nil && l.lease == nil && l.leaving:
		l.remove()
		return
	case err != nil:
		l.failed("renew lease", err)
		l.timer(&l.renewStop, l.options.RenewInterval/2, l.renew)
		return
	}
	marked := l.lease == nil || l.lease.Annotations[annotationMark] != lease.Annotations[annotationMark]
	l.lease = lease
	l.member.extend(began)
	l.member.report(func(s *Status) { s.Renewed = time.Now() })
	if l.again {
		l.renew()
	} else {
		l.timer(&l.renewStop, l.options.RenewInterval-l.clock.now().sinceAtLeast(began), l.renew)
	}
	if marked {
		l.read()
	}
}

// remove deletes the Lease, and ends the session.
func (l *loop) remove() {
	if l.removing {
		return
	}
	l.removing = true
	l.request(func(ctx context.Context) func() {
		err := l.member.leases.Delete(ctx, l.session, metav1.DeleteOptions{})
		if apierrors.IsNotFound(err) {
			err = nil
		}
		return func() { l.end(err) }
	})
}
