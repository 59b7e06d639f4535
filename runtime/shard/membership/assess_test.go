package membership

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// scene makes situations of the member "orders-a".
type scene struct{ situation }

func newScene(owners map[string]shard.Ranges) *scene {
	options, _ := Options{Group: "orders", Identity: "a"}.withDefaults()
	s := &scene{situation{options: options, session: "orders-a", mark: mark{"table", 1}, settled: true, seen: observations{of: map[string]observation{}}}}
	s.view = view{}.withTable(options.mapLease(&coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{UID: "table"}}, ownership{epoch: 5, owners: owners}))
	return s
}

// member adds a member that goes by a Lease of the group, and was seen to be the same for a while.
func (s *scene) member(session string, table types.UID, waited time.Duration, change ...func(*coordinationv1.Lease)) *scene {
	options := s.options
	options.Identity = session
	goesBy := mark{table, 1}
	if table == "" {
		goesBy = mark{}
	}
	lease := options.lease(session, goesBy, false, time.Time{})
	for _, f := range change {
		f(lease)
	}
	s.view.peers = append(s.view.peers, newPeer(options, lease))
	s.seen.of[session] = observation{waited: waited, duration: options.LeaseDuration}
	return s
}

func marked(lease *coordinationv1.Lease)   { lease.Spec.HolderIdentity = nil }
func goes(lease *coordinationv1.Lease)     { lease.Annotations[annotationLeaving] = "true" }
func sameName(lease *coordinationv1.Lease) { lease.Spec.HolderIdentity = new("orders-a") }

// What a member may do and has to do, for each situation. The fractions are of all hashes.
func TestAssess(t *testing.T) {
	all, halves := shard.All(), shard.All().Split(2)
	thirds := shard.All().Split(3)
	type want struct {
		act, stop, follow, orphans float64
		expire, remove             int
		over, create, waiting      bool
	}
	for name, test := range map[string]struct {
		*scene
		want
	}{
		"alone, nothing assigned":        {newScene(nil).member("orders-a", "table", 0), want{follow: 1, orphans: 1}},
		"alone, not settled":             {with(newScene(nil).member("orders-a", "table", 0), func(s *scene) { s.settled = false }), want{follow: 1}},
		"own Lease not read":             {newScene(nil), want{waiting: true}},
		"own Lease expired":              {newScene(nil).member("orders-a", "table", 0, marked), want{over: true}},
		"own Lease without mark":         {newScene(own("orders-a", all)).member("orders-a", "", 0), want{follow: 1, waiting: true}},
		"own Lease with another mark":    {newScene(own("orders-a", all)).member("orders-a", "old", 0), want{follow: 1, waiting: true}},
		"own Lease read from before":     {with(newScene(own("orders-a", all)).member("orders-a", "table", 0), func(s *scene) { s.mark.count = 2 }), want{follow: 1, waiting: true}},
		"owns all":                       {newScene(own("orders-a", all)).member("orders-a", "table", 0), want{act: 1, follow: 1}},
		"no Lease of the group":          {with(newScene(nil).member("orders-a", "", 0), func(s *scene) { s.view.table = nil }), want{create: true, waiting: true}},
		"text of somebody":               {with(newScene(nil).member("orders-a", "table", 0), func(s *scene) { s.view.err = ErrInvalid }), want{waiting: true}},
		"another one joins":              {newScene(own("orders-a", all)).member("orders-a", "table", 0).member("orders-b", "", 0), want{act: 0.5, stop: 0.5, follow: 1}},
		"joins another one":              {newScene(own("orders-b", all)).member("orders-a", "table", 0).member("orders-b", "table", 0), want{follow: 0.5}},
		"too few members":                {with(newScene(own("orders-b", halves[0])).member("orders-a", "table", 0).member("orders-b", "table", 0), func(s *scene) { s.options.MinMembers = 3 }), want{orphans: 0.5}},
		"the other one is late":          {newScene(own("orders-b", all)).member("orders-a", "table", 0).member("orders-b", "table", 11*time.Second), want{follow: 0.5}},
		"the other one is too late":      {newScene(own("orders-b", all)).member("orders-a", "table", 0).member("orders-b", "table", 12*time.Second), want{follow: 0.5, expire: 1}},
		"the other one is expired":       {newScene(own("orders-b", all)).member("orders-a", "table", 0).member("orders-b", "table", 0, marked), want{follow: 1, orphans: 1}},
		"an expired one owns nothing":    {newScene(own("orders-a", all)).member("orders-a", "table", 0).member("orders-b", "table", 0, marked), want{act: 1, follow: 1, remove: 1}},
		"the other one leaves":           {newScene(own("orders-b", all)).member("orders-a", "table", 0).member("orders-b", "table", 0, goes), want{follow: 1}},
		"leaves":                         {with(newScene(own("orders-a", all)).member("orders-a", "table", 0, goes).member("orders-b", "", 0), func(s *scene) { s.leaving = true }), want{stop: 1, follow: 1}},
		"leaves last":                    {with(newScene(own("orders-a", all)).member("orders-a", "table", 0, goes), func(s *scene) { s.leaving = true }), want{stop: 1, follow: 1}},
		"Lease of the other was deleted": {with(newScene(own("orders-b", all)).member("orders-a", "table", 0), gone("orders-b", 11)), want{follow: 1}},
		"and that was long ago":          {with(newScene(own("orders-b", all)).member("orders-a", "table", 0), gone("orders-b", 12)), want{follow: 1, orphans: 1}},
		"other goes by a deleted Lease":  {newScene(nil).member("orders-a", "table", 0).member("orders-b", "old", 0), want{follow: 0.5}},
		"and is expired":                 {newScene(nil).member("orders-a", "table", 0).member("orders-b", "old", 0, marked), want{follow: 1, orphans: 1, remove: 1}},
		"a later one of the same name":   {newScene(own("orders-a", all)).member("orders-a", "table", 0).member("orders-b", "", 0, sameName), want{stop: 1, follow: 1}},
		"unknown result of a write":      {with(newScene(own("orders-a", all)).member("orders-a", "table", 0), func(s *scene) { s.released, s.epoch = halves[0], 5 }), want{act: 0.5, stop: 0.5, follow: 1}},
		"known by a later epoch":         {with(newScene(own("orders-a", all)).member("orders-a", "table", 0), func(s *scene) { s.released, s.epoch = halves[0], 4 }), want{act: 1, follow: 1}},
		"three, and one is expired": {newScene(map[string]shard.Ranges{"orders-a": thirds[0], "orders-b": thirds[1], "orders-c": thirds[2]}).
			member("orders-a", "table", 0).member("orders-b", "table", 0, marked).member("orders-c", "table", 0), want{act: 1. / 3, follow: 0.5, orphans: 1. / 3}},
	} {
		t.Run(name, func(t *testing.T) {
			st := assess(test.situation)
			near := func(what string, got shard.Ranges, want float64) {
				t.Helper()
				if f := got.Fraction(); f < want-0.01 || f > want+0.01 {
					t.Errorf("%s: got %.3f, want %.3f", what, f, want)
				}
			}
			near("act", st.act, test.act)
			near("stop", st.stop, test.stop)
			near("follow", st.follow, test.follow)
			near("orphans", st.orphans, test.orphans)
			if len(st.expire) != test.expire || len(st.remove) != test.remove || st.over != test.over || st.create != test.create || (st.waiting != "") != test.waiting {
				t.Errorf("got %+v", st)
			}
		})
	}
}

func own(session string, ranges shard.Ranges) map[string]shard.Ranges {
	return map[string]shard.Ranges{session: ranges}
}

func with(s *scene, change func(*scene)) *scene {
	change(s)
	return s
}

// gone is an owner whose Lease has not been there for some seconds.
func gone(session string, seconds time.Duration) func(*scene) {
	return func(s *scene) {
		s.seen.of[session] = observation{waited: seconds * time.Second, duration: s.options.LeaseDuration}
	}
}

// What is handed over goes to who should have it, but not to someone who may have died.
func TestRewrite(t *testing.T) {
	all := shard.All()
	two := func(waited time.Duration) *scene {
		return newScene(own("orders-a", all)).member("orders-a", "table", 0).member("orders-b", "", waited)
	}
	s := two(0)
	st := assess(s.situation)
	next, changed := rewrite(s.situation, st, st.stop, false)
	if !changed || next.epoch != 6 || !next.owners["orders-b"].Equal(st.stop) || !next.owners["orders-a"].Equal(st.act) {
		t.Errorf("handed over %v: got %+v", st.stop, next)
	}
	if _, changed := rewrite(s.situation, st, nil, false); changed {
		t.Error("work is running, and something changes")
	}
	s = two(8 * time.Second)
	st = assess(s.situation)
	if next, changed := rewrite(s.situation, st, st.stop, false); changed {
		t.Errorf("handed over to one that may have died: %+v", next)
	}
	s.leaving = true
	s.view.peers[0].leaving = true
	st = assess(s.situation)
	if next, changed := rewrite(s.situation, st, st.stop, false); !changed || len(next.owners) != 0 {
		t.Errorf("one that leaves keeps nothing, got %+v", next)
	}
	s = newScene(own("orders-b", all)).member("orders-a", "table", 0).member("orders-b", "table", 0, marked)
	st = assess(s.situation)
	if next, changed := rewrite(s.situation, st, nil, true); !changed || !next.owners["orders-a"].Equal(all) || len(next.owners) != 1 {
		t.Errorf("took over: got %+v", next)
	}
	if _, changed := rewrite(s.situation, st, nil, false); changed {
		t.Error("it is not yet up to this member, and something changes")
	}
}

// Time counts as observed only if it was: not while nothing could be read.
func TestObservations(t *testing.T) {
	s := newScene(own("orders-z", shard.All())).member("orders-a", "table", 0).member("orders-b", "table", 0)
	lease := s.view.peers[1].lease
	lease.ResourceVersion = "1"
	at := func(seconds time.Duration) instant { return instant{monotonic: seconds * time.Second} }
	var o observations
	expect := func(b, z time.Duration) {
		t.Helper()
		if o.waited("orders-b") != b*time.Second || o.waited("orders-z") != z*time.Second {
			t.Errorf("waited %v and %v, want %ds and %ds", o.waited("orders-b"), o.waited("orders-z"), b, z)
		}
	}
	add := func(seconds time.Duration) { o = o.add(s.view, at(seconds), 2*time.Second, s.options.LeaseDuration) }
	add(100)
	expect(0, 0)
	add(101)
	expect(1, 1)
	add(200)
	expect(3, 3)
	lease.ResourceVersion = "2"
	add(201)
	expect(0, 4)
	add(202)
	expect(1, 5)
	o.forget("orders-b")
	expect(0, 5)
	if got := o.left("orders-z", time.Second); got != 7*time.Second {
		t.Errorf("left %v, want 7s", got)
	}
	if got := o.left("not seen", 15*time.Second); got != 12*time.Second {
		t.Errorf("left of one that was not seen %v, want 12s", got)
	}
}
