package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/idle"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/leftout"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/lookup"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/internal/nothing"
)

// reflector makes the requests of its protocol state, and pushes the results as deltas. It runs in one
// goroutine. A second goroutine looks objects up by name while there are any to look up.
type reflector struct {
	reporter
	source Objects
	// of is the type of the objects. If it is an interface, accepted is the last type that was found to
	// implement it: Type.Implements is too slow to be called for each object.
	of       reflect.Type
	accepted atomic.Value
	// scope says which objects are listed and watched.
	scope *scope
	// sequence stands for the list in progress or the last one, and for the watches that continue it.
	sequence *decoding.Sequence
	// push pushes a delta into the queue. Two goroutines may call it.
	push func(delta)
	// cached returns the stored object of a key.
	cached func(types.NamespacedName) (protocol.Received, bool)
	// committed reports whether the store has every delta that was pushed.
	committed func() bool

	// leftOut holds the objects of the list in progress that could not be taken, and why. It is nil if no
	// list is in progress.
	leftOut map[types.NamespacedName]leftout.State

	floor   protocol.Floor
	lookups *lookup.Lookups
	reread  protocol.Reread
	silence protocol.Silence
	server  protocol.Server
	// noWatchLists is set when a reflector of the informer gives up watch-lists for good.
	noWatchLists *atomic.Bool
	// versions samples the list in progress.
	versions protocol.VersionSample
	// broken is set after a watch that the next watch continues. It points to the error of that watch,
	// which is nil if the server closed it.
	broken *error
	// delivered remembers the latest events of the watch.
	delivered protocol.Delivered
	absence   protocol.Absence
	// doubtful records since when every list has been doubtful.
	doubtful protocol.Absence
	// said describes the last page of the list in progress. doubt is the reason to doubt the list, if it
	// counts although it is doubtful.
	said  decoding.List
	doubt error
}

// run lists and watches until ctx ends. It returns a failure that stops the informer. Every wait is caused
// by an error, which is reported.
func (r *reflector) run(ctx context.Context) error {
	r.backoff = protocol.NewBackoff(r.options.backoff(), r.options.jitter)
	r.delivered = protocol.NewDelivered()
	r.lookups = lookup.New(ctx, lookup.Config{
		Find: r.find, Found: r.found, Jitter: r.options.jitter, Ordered: r.about.OrderedResourceVersions,
	})
	defer r.lookups.Stop()
	// A source may keep the context of its last request, which refers to the reflector.
	defer func() { r.delivered = protocol.Delivered{} }()

	watchList := !r.options.DisableWatchList && !r.about.NoWatchList && !r.noWatchLists.Load()
	s := protocol.NewState(r.options.PageSize, watchList)
	for ctx.Err() == nil {
		var pace protocol.Pace
		var err error
		phase := s.Phase
		if !s.Absent() {
			r.recorder.enter(phaseOf(phase))
		}
		began := time.Now()
		r.opened = false
		if phase == protocol.Listing {
			s, pace, err = r.list(ctx, s)
		} else {
			s, phase, pace, err = r.watch(ctx, s)
		}
		if ctx.Err() != nil {
			break
		}
		if phase == protocol.Watching {
			r.noteEnd(s, err)
		}
		s = r.vanish(ctx, s)
		if err := r.waitForNext(ctx, s, phase, pace, time.Since(began), err); err != nil {
			return err
		}
	}
	return nil //nolint:nilerr // the end of ctx is the normal end
}

// requested notes the outcome of a request, unless the end of ctx interrupted it.
func (r *reflector) requested(ctx context.Context, phase protocol.Phase, err error) {
	if ctx.Err() == nil {
		r.recorder.requested(phase, err)
	}
}

// waitForNext waits until the next request is due. The request before ended in phase with err and took the
// time took. waitForNext returns an error if the informer must stop.
func (r *reflector) waitForNext(ctx context.Context, s protocol.State, phase protocol.Phase, pace protocol.Pace, took time.Duration, err error) error {
	if pace == protocol.Later {
		return r.reportFailure(ctx, s, phase, err)
	}
	if err != nil {
		if err := r.reportEnd(ctx, s, phase, err); err != nil {
			return err
		}
	}
	delay := r.floor.Delay(took)
	if pace == protocol.Soon {
		delay = time.Second/2 + r.options.jitter(time.Second)
	}
	if delay > 0 {
		if err != nil {
			r.recorder.because(err)
		}
		r.pause(ctx, delay)
	}
	return nil
}

// vanish deletes the objects of a resource that was removed, once its removal is proven.
func (r *reflector) vanish(ctx context.Context, s protocol.State) protocol.State {
	if !s.Absent() {
		r.absence = protocol.Absence{}
		return s
	}
	if r.options.AbsentGrace < 0 || s.ResourceVersion == "" {
		r.recorder.contact()
		return s
	}
	served, err := r.served(ctx)
	if errors.Is(err, errors.ErrUnsupported) || err == nil && !served {
		r.recorder.contact()
	}
	if !r.absence.Proven(served, err, time.Now(), cmp.Or(r.options.AbsentGrace, defaultAbsentGrace)) {
		return s
	}
	klog.FromContext(ctx).Info("Resource is not served any more, deleting its objects", "since", r.absence.Since)
	r.begin()
	s.ResourceVersion = ""
	r.leftOut = nil
	r.push(delta{kind: replaced, list: &wholeList{cause: &cause.Cause{Kind: cause.ResourceRemoved}}})
	return s
}

// served asks discovery whether the server serves the resource. It waits no longer than until the resource
// must be requested again.
func (r *reflector) served(ctx context.Context) (bool, error) {
	if r.about.Served == nil {
		return false, errors.ErrUnsupported
	}
	ctx, cancel := context.WithTimeout(ctx, min(r.options.idleTimeout(), absentRetry))
	defer cancel()
	return r.about.Served(ctx)
}

// list fetches the pages of one list, and pushes them as one delta. The error says why the list ended, for
// a report.
func (r *reflector) list(ctx context.Context, s protocol.State) (protocol.State, protocol.Pace, error) {
	var items []item
	for s.Phase == protocol.Listing {
		if s.Token == "" {
			r.begin()
			r.recorder.listing()
			items = items[:0]
		}
		before := len(items)
		page, err := r.page(ctx, s, func(it item) { items = append(items, it) })
		if err == nil && (s.Token != "" && s.Token == page.Continue || before > 0 && before < len(items) && items[before].key == items[0].key) {
			err = protocol.ErrPageRepeated
		}
		if err != nil {
			r.recorder.more(0)
			next, pace := s.ListFailed(err)
			r.requested(ctx, protocol.Listing, err)
			if pace == protocol.Later || ctx.Err() != nil {
				return next, pace, fmt.Errorf("list: %w", err)
			}
			klog.FromContext(ctx).V(4).Info("List starts over", "err", err)
			s = next
			continue
		}
		r.recorder.more(ptr.Deref(page.RemainingItemCount, 0))
		s = s.Listed(page)
	}
	r.recorder.requested(protocol.Listing, nil)
	r.believe(ctx)
	r.replace(ctx, s, items)
	s.Restarted = false
	return s, protocol.AtOnce, nil
}

// begin is called before a list or watch-list, which delivers all objects again.
func (r *reflector) begin() {
	r.sequence = new(decoding.Sequence)
	r.versions = protocol.VersionSample{}
	r.doubt = nil
	r.delivered = protocol.NewDelivered()
	r.leftOut = map[types.NamespacedName]leftout.State{}
	r.reread.Listing()
	r.lookups.Hold()
}

// page fetches one page. It gives up if nothing comes for too long.
func (r *reflector) page(ctx context.Context, s protocol.State, add func(item)) (metav1.ListMeta, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := idle.Cancel(cancel, r.options.idleTimeout(), failure.ErrListIdle)
	defer timer.Stop()
	said, items := decoding.List{}, 0
	ctx = r.following(ctx, func(string) {
		timer.Touch()
		items++
	})
	ctx = decoding.WithJudge(ctx, func(l decoding.List) error { said = l; return nil })
	page, err := r.source.List(ctx, s.ListOptions(), func(obj any, err error) {
		timer.Touch()
		items++
		if it, ok := r.takeListed(ctx, obj, err, r.sameness(s)); ok && it.Object != nil {
			add(it)
		}
	})
	if err != nil {
		r.doubtful = protocol.Absence{}
		return page, idle.CauseOf(ctx, err)
	}
	said.Items = max(said.Items, items)
	return page, r.weigh(said, page)
}

// weigh returns an error if a page belongs to a doubtful list, unless lists have been doubtful for so long
// that this one counts.
func (r *reflector) weigh(said decoding.List, page metav1.ListMeta) error {
	r.said = said
	doubt := r.server.Doubt(said, page)
	if doubt == nil {
		return nil
	}
	if !r.doubtful.Proven(false, nil, time.Now(), doubtGrace) {
		return doubt
	}
	r.doubt = doubt
	return nil
}

// believe notes that the list whose pages were weighed counts.
func (r *reflector) believe(ctx context.Context) {
	if r.doubt != nil {
		klog.FromContext(ctx).Info("Doubtful list counts, since lists stay so", "since", r.doubtful.Since, "reason", r.doubt)
	}
	if r.said.Learn != nil {
		r.said.Learn()
	}
}

// following returns the context for a request of the sequence. leftOut is called for each object that the
// source leaves out.
func (r *reflector) following(ctx context.Context, leftOut func(resourceVersion string)) context.Context {
	request := decoding.From(ctx)
	request.Sequence, request.LeftOut = r.sequence, leftOut
	return decoding.With(ctx, request)
}

// sameness returns the rule that decides whether a listed object equals the stored one.
func (r *reflector) sameness(s protocol.State) protocol.Sameness {
	if s.Restarted {
		return protocol.SameContent
	}
	return r.server.Same
}

// replace pushes a whole list, at the version of s.
func (r *reflector) replace(ctx context.Context, s protocol.State, items []item) {
	// The status says that the informer is in sync before anything else shows it.
	r.recorder.seen(s.ResourceVersion)
	r.recorder.contact()
	r.succeed(ctx)
	r.backoff.Succeeded()
	r.recorder.enter(PhaseWatching)
	r.reread.Listed()
	r.push(delta{kind: replaced, resourceVersion: s.ResourceVersion, list: &wholeList{
		items:     items,
		leftOut:   r.leftOut,
		same:      r.sameness(s),
		restarted: s.Restarted,
		cause:     &cause.Cause{Kind: cause.List, Reason: r.recorder.get().RelistReason},
		sequence:  r.sequence,
	}})
	r.leftOut = nil
	r.server.Listed(s.ResourceVersion, &r.versions, r.about.OrderedResourceVersions, r.about.NoWatchList)
	r.doubtful = protocol.Absence{}
	r.lookups.Unhold()
}

// takeListed makes an item of an object that a list, or the initial events of a watch-list, delivered. The
// item has the stored object if the two are the same, and no object if the transform leaves it out. An
// object that can't be used is reported and left out, unless the store has an earlier state.
func (r *reflector) takeListed(ctx context.Context, obj any, err error, same protocol.Sameness) (item, bool) {
	r.recorder.arrived.Add(1)
	if err != nil {
		return r.unreadable(ctx, err)
	}
	r.versions.Add(obj)
	key, err := r.keyOf(obj)
	if err != nil {
		r.reportKey(ctx, err)
		return item{}, false
	}
	it := item{key, protocol.Received{Object: obj}}
	old, existed := r.cached(it.key)
	if existed && same == protocol.SameVersion && same.Of(old, it.Received) {
		delete(r.leftOut, key)
		it.Received = old
		return it, true
	}
	if it.Received, err = r.transform(obj); err != nil {
		r.reportTransform(ctx, key, it.Sent, err)
		it.Received = old
		return it, existed && !protocol.Recreated(old, obj)
	}
	delete(r.leftOut, key)
	if existed && it.Object != nil && same.Of(old, it.Received) {
		it.Received = old
	}
	return it, true
}

// keyOf returns the key of an object. It fails if the object has another type, or is not in the namespace
// that was requested.
func (r *reflector) keyOf(obj any) (types.NamespacedName, error) {
	key, err := KeyOf(obj)
	if other := r.checkType(obj); other != nil {
		return key, &failure.ObjectError{Object: objectkey.String(key), Err: other}
	}
	if err == nil && !r.scope.has(key) {
		err = &failure.ObjectError{Object: objectkey.String(key), Err: fmt.Errorf("not of the namespace %q, which was requested", r.scope.key.Namespace)}
	}
	return key, err
}

// checkType returns an error if an object does not have the type of the objects, or does not implement it.
func (r *reflector) checkType(obj any) error {
	switch is := reflect.TypeOf(obj); {
	case is == r.of, is != nil && r.accepted.Load() == is:
	case is != nil && r.of.Kind() == reflect.Interface && is.Implements(r.of):
		r.accepted.Store(is)
	default:
		return fmt.Errorf("is a %T, not a %s", obj, r.of)
	}
	return nil
}

// unreadable reports an object that could not be decoded, and looks it up later. It makes an item of the
// stored object, since an object that a list does not have counts as deleted.
func (r *reflector) unreadable(ctx context.Context, err error) (item, bool) {
	var object *failure.ObjectError
	if !errors.As(err, &object) || object.Object == "" {
		r.reportKey(ctx, err)
		return item{}, false
	}
	it := item{key: objectkey.Parse(object.Object)}
	r.lookUp(it.key) // before leaveOut, since an earlier look-up may end just now
	r.leaveOut(ctx, nil, err)
	old, existed := r.cached(it.key)
	it.Received = old
	return it, existed
}

// reportKey reports an object whose key is unknown or wrong: only a list shows whether the object exists.
func (r *reflector) reportKey(ctx context.Context, err error) {
	r.reread.Unreadable()
	r.leaveOut(ctx, nil, err)
}

// reportTransform reports an object for which the transform failed.
func (r *reflector) reportTransform(ctx context.Context, key types.NamespacedName, sent *protocol.Sent, err error) {
	r.leaveOut(ctx, sent, &failure.ObjectError{Object: objectkey.String(key), Err: fmt.Errorf("transform: %w", err)})
}

// leaveOut reports an object that can't be taken, and lets the store note it: with the list in progress, if
// there is one. Sent is the object's metadata, nil if they are not known.
func (r *reflector) leaveOut(ctx context.Context, sent *protocol.Sent, err error) {
	r.reportObject(ctx, err)
	key, why := leftout.Explain(err)
	if r.leftOut != nil {
		r.leftOut[key] = leftout.State{Why: why, Sent: sent}
		return
	}
	left := map[types.NamespacedName]leftout.State{key: {Why: why, Sent: sent}}
	r.push(delta{kind: bookmarked, list: &wholeList{leftOut: left}})
}

// lookUp looks an object up by its name later. If too many objects wait for that, everything is listed
// again after a while.
func (r *reflector) lookUp(key types.NamespacedName) {
	if !r.lookups.Add(key) {
		r.reread.Unreadable()
	}
}

// find reads an object by its name.
func (r *reflector) find(ctx context.Context, key types.NamespacedName) (found lookup.Finding, err error) {
	ctx, cancel := context.WithTimeout(ctx, r.options.idleTimeout())
	defer cancel()
	read := named{key: key}
	page, err := r.source.List(ctx, lookup.Options(key), read.add)
	found.Version = page.ResourceVersion
	if err = cmp.Or(err, read.check(page)); err != nil || read.obj == nil {
		return found, err
	}
	if _, err = r.keyOf(read.obj); err != nil {
		return found, err
	}
	if found.Received, err = r.transform(read.obj); err != nil || found.Object == nil {
		return found, err
	}
	old, existed := r.cached(key)
	found.Same = existed && protocol.SameContent.Of(old, found.Received)
	return found, nil
}

// found pushes the result of a look-up.
func (r *reflector) found(key types.NamespacedName, f lookup.Finding) {
	switch {
	case f.Object == nil:
		r.push(delta{kind: deleted, key: key, unseen: true})
	case f.Same:
		r.push(delta{kind: bookmarked, key: key})
	default:
		r.push(delta{kind: set, key: key, Received: f.Received})
	}
}

// transform returns the object to store. Its Object is nil if the transform leaves it out. With an error,
// the result has the metadata alone.
func (r *reflector) transform(obj any) (out protocol.Received, err error) {
	if r.options.DropManagedFields { // the source may not be able to leave them out
		if m, err := meta.Accessor(obj); err == nil && len(m.GetManagedFields()) > 0 {
			m.SetManagedFields(nil)
		}
	}
	if r.options.Transform == nil {
		return protocol.Received{Object: obj}, nil
	}
	sent, known := protocol.SentOf(obj)
	changed, err := transformed(r.options.Transform, obj)
	switch {
	case err != nil && known:
		refused := sent // taken objects need no memory
		return protocol.Received{Sent: &refused}, err
	case changed == nil:
		return protocol.Received{}, err
	}
	return protocol.Transformed(changed, sent), nil
}

// transformed calls a transform. It returns nil if the transform does, and an error if it panics.
func transformed(transform func(any) (any, error), obj any) (out any, err error) {
	defer catch(&err)
	out, err = transform(obj)
	if err != nil || nothing.Is(out) {
		return nil, err
	}
	return out, nil
}
