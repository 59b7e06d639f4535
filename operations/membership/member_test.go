package membership

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2/textlogger"

	"github.com/informer-gen/informer-gen/operations/membership/internal/protocol"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// alone runs a world with one replica that owns everything.
func alone(t *testing.T, run func(w *world, r *replica)) {
	t.Helper()
	simulate(t, 1, func(w *world) {
		r := w.start("a", 1)
		w.wait(20 * time.Second)
		run(w, r)
	})
}

func (r *replica) owned() int { return r.member.Status().Owned.Count }

// A slot is given up when the work in it has ended, however long that takes; its context ends
// after DrainTimeout.
func TestDrain(t *testing.T) {
	alone(t, func(w *world, r *replica) {
		type work struct {
			context.Context
			end  func()
			hash uint64
		}
		var all []work
		for i := range uint64(64) {
			hash := i << 58
			ctx, end, ok := r.member.BeginHash(r.t.Context(), hash)
			if !ok {
				t.Fatalf("hash %x is not owned", hash)
			}
			all = append(all, work{ctx, end, hash})
		}
		second := w.start("b", 1)
		time.Sleep(defaultLeaseDuration)
		if s := second.member.Status(); s.Gaining.Count != 32 || s.Owned.Count != 0 {
			t.Errorf("slots with work were given up: %+v", s)
		}
		if s := r.member.Status(); s.Losing.Count != 32 || s.HoldingUp != 32 || time.Since(s.Losing.Since) < defaultLeaseDuration-3*time.Second {
			t.Errorf("one gains 32, the other one loses: %+v", s)
		}
		time.Sleep(5 * time.Second)
		ended := 0
		for _, work := range all {
			owned := r.member.OwnsHash(work.hash)
			if lost := errors.Is(context.Cause(work), ErrLost); owned == lost {
				t.Errorf("hash %x: owned %v, context: %v", work.hash, owned, context.Cause(work))
			}
			if second.member.OwnsHash(work.hash) {
				t.Errorf("hash %x was given up", work.hash)
			}
			if work.Err() != nil {
				ended++
			}
		}
		if ended != 32 {
			t.Errorf("%d of %d contexts have ended", ended, len(all))
		}
		for _, work := range all {
			work.end()
			work.end() // does nothing
		}
		time.Sleep(time.Second)
		w.balanced(2 * time.Second)
	})
}

// One stuck work costs its own slot only.
func TestStuckWork(t *testing.T) {
	alone(t, func(w *world, r *replica) {
		_, end, _ := r.member.BeginHash(r.t.Context(), 1<<63)
		r.network.set(faults{noWrites: true}) // and it loses everything else
		w.start("b", 1)
		w.start("c", 1)
		time.Sleep(3 * defaultLeaseDuration)
		w.wait(time.Second)
		r.network.set(faults{})
		time.Sleep(2 * defaultLeaseDuration)
		w.balanced(time.Second)
		end()
	})
	simulate(t, 2, func(w *world) {
		a := w.start("a", 1)
		w.wait(20 * time.Second)
		// The last slot is the first that moves.
		_, end, _ := a.member.BeginHash(a.t.Context(), 1<<64-1)
		b, c := w.start("b", 1), w.start("c", 1)
		time.Sleep(2 * defaultLeaseDuration)
		owned := a.owned() + b.owned() + c.owned()
		if s := a.member.Status(); owned != 63 || s.Losing.Count != 1 || s.HoldingUp != 1 || s.Owned.Count > 22 {
			t.Errorf("%d slots are owned, %+v", owned, s)
		}
		end()
		time.Sleep(2 * time.Second)
		w.balanced(time.Second)
	})
}

// A replica that can't renew its life loses everything and gains it again at once when it can, and
// its listeners are told.
func TestLapse(t *testing.T) {
	alone(t, func(w *world, r *replica) {
		var mu sync.Mutex
		told := 0.0
		r.member.OnGain(func(ranges shard.Ranges) {
			mu.Lock()
			defer mu.Unlock()
			told += ranges.Fraction()
		})
		ctx, end, _ := r.member.BeginHash(r.t.Context(), 1)
		defer end()
		r.network.set(partitioned)
		began := time.Now()
		<-ctx.Done()
		if took := time.Since(began); took > defaults.ActFor() || !errors.Is(context.Cause(ctx), ErrLost) {
			t.Errorf("context ended after %v: %v", took, context.Cause(ctx))
		}
		if s := r.member.Status(); s.Phase != Expired || s.Owned.Count != 0 || s.LastError == "" || s.Waiting == "" {
			t.Errorf("status of an expired one: %+v", s)
		}
		time.Sleep(time.Minute)
		r.network.set(faults{})
		if took := w.wait(5 * time.Second); took > 3*time.Second {
			t.Errorf("owns everything after %v", took)
		}
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		if told != 2 {
			t.Errorf("told of all hashes %v times, want 2", told)
		}
	})
}

// Owns finds at once that a term is over after the process was stopped or its machine was suspended. So
// does the context of work. Either may be asked first. Nothing else asks: timers of the process have not
// fired yet.
func TestStopped(t *testing.T) {
	asks := map[string]func(r *replica, work context.Context) (owns bool){
		"Owns": func(r *replica, _ context.Context) bool { return r.member.OwnsHash(1) },
		"Err":  func(_ *replica, work context.Context) bool { return work.Err() == nil },
		"Begin": func(r *replica, work context.Context) bool {
			_, end, ok := r.member.BeginHash(work, 1)
			end()
			return ok
		},
	}
	for name, ask := range asks {
		for _, stop := range []func(*skewedClock){func(c *skewedClock) { c.gate.stop() }, (*skewedClock).suspend} {
			testStopped(t, name, stop, ask)
		}
	}
}

func testStopped(t *testing.T, name string, stop func(*skewedClock), ask func(*replica, context.Context) bool) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		r := w.start("a", 1)
		w.wait(20 * time.Second)
		work, end, ok := r.member.BeginHash(t.Context(), 1)
		if !ok || !ask(r, work) {
			t.Fatal("does not own what it should")
		}
		stop(r.clock)
		time.Sleep(defaults.ActFor())
		if ask(r, work) {
			t.Errorf("%s: still owns", name)
		}
		end()
		r.clock.resume()
		r.leave()
	})
}

// ending is a network on which the time of a member ends while it takes a slot.
type ending struct {
	*network
	member *Member
	ended  bool
}

func (e *ending) Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	lease, err := e.network.Update(ctx, lease, options)
	if err == nil && lease.Name == "orders-slot-07" && !e.ended {
		e.ended = true
		e.member.locked(e.member.stopLocked)
	}
	return lease, err
}

// A slot that was being taken when the time of a member was over is taken again before it acts.
func TestTakenWhenTimeIsOver(t *testing.T) {
	simulate(t, 1, func(w *world) {
		e := &ending{}
		w.wrap = func(n *network) Leases {
			e.network = n
			return e
		}
		e.member = w.start("a", 1).member
		for e.member.Status().Owned.Count < Slots {
			e.member.locked(func() {
				if e.member.until == 0 && e.member.acting != 0 {
					t.Errorf("acts on %v when its time is over", e.member.acting.Ranges())
				}
			})
			time.Sleep(10 * time.Millisecond)
		}
		if !e.ended {
			t.Error("its time was not over")
		}
	})
}

// When the time of day is set, a member loses a moment at most.
func TestTimeIsSet(t *testing.T) {
	for _, by := range []time.Duration{-time.Hour, time.Hour} {
		alone(t, func(w *world, r *replica) {
			r.clock.set(by)
			if owned := w.check(); by < 0 && owned != len(w.keys) {
				t.Errorf("set by %v: owns %d keys", by, owned)
			}
			if took := w.wait(10 * time.Second); took > 3*time.Second {
				t.Errorf("set by %v: owns everything after %v", by, took)
			}
		})
	}
}

// A member that may not list, or not write, has no share and says so, from the start or from some
// time on. The others own everything.
func TestForbidden(t *testing.T) {
	for name, f := range map[string]faults{"list": {noLists: true}, "write": {noWrites: true}, "create": {noCreates: true}} {
		simulate(t, 1, func(w *world) {
			a := w.start("a", 1)
			w.wait(20 * time.Second)
			w.wrap = func(n *network) Leases {
				n.set(f)
				return n
			}
			b := w.start("b", 1)
			w.wrap = nil
			for range 60 {
				time.Sleep(time.Second)
				if a.owned() != 64 {
					t.Fatalf("%s: the other one owns %d slots", name, a.owned())
				}
			}
			if s := b.member.Status(); s.Owned.Count != 0 || s.Phase != Joining || s.Waiting == "" || !strings.Contains(s.LastError, "forbidden") {
				t.Errorf("%s: %+v", name, s)
			}
			b.network.set(faults{})
			time.Sleep(2 * defaultLeaseDuration)
			w.balanced(time.Second)
			a.network.set(f)
			if name == "create" {
				w.store.deleteAll(func(string) bool { return true }) // until then it needs none
			}
			time.Sleep(2 * defaultLeaseDuration)
			if s := a.member.Status(); s.Owned.Count != 0 || s.Waiting == "" || s.LastError == "" || b.owned() != 64 {
				t.Errorf("%s: one owns %d: %+v", name, b.owned(), s)
			}
			a.network.set(faults{})
		})
	}
}

// Work that does not end does not keep Run from returning, with an error.
func TestLeaveInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		r := w.start("a", 1)
		w.wait(20 * time.Second)
		ctx, end, _ := r.member.BeginHash(r.t.Context(), 1)
		began := time.Now()
		r.stop()
		<-ctx.Done()
		if took := time.Since(began); took < defaultLeaseDuration || took > defaultLeaseDuration+3*time.Second {
			t.Errorf("the work was ended after %v", took)
		}
		err := <-r.ended
		if took := time.Since(began); !errors.Is(err, errNotGivenUp) || took > 2*defaultLeaseDuration {
			t.Errorf("ended after %v: %v", took, err)
		}
		end()
		for _, name := range w.store.names() {
			if strings.HasPrefix(name, "orders-member-") {
				t.Errorf("%s is left", name)
			}
		}
	})
}

// A member runs once, and invalid options are refused.
func TestErrors(t *testing.T) {
	alone(t, func(_ *world, r *replica) {
		if err := r.member.Run(r.t.Context()); !errors.Is(err, ErrStarted) {
			t.Errorf("second Run: %v", err)
		}
	})
	for _, o := range []Options{
		{}, {Group: "Orders"}, {Group: strings.Repeat("a", 64)},
		{Group: "a", LeaseDuration: 1500 * time.Millisecond}, {Group: "a", LeaseDuration: time.Second / 2},
		{Group: "a", DrainTimeout: -1},
	} {
		if _, err := New(nil, o); !errors.Is(err, ErrInvalid) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// A status is JSON, with its error.
func TestStatusJSON(t *testing.T) {
	text, err := json.Marshal(Status{Group: "orders", LastError: "wrong"})
	if err != nil || !strings.Contains(string(text), `"group":"orders"`) || !strings.Contains(string(text), `"lastError":"wrong"`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Two owners: all Leases are deleted while the network of one replica fails and a new one starts.
func TestDeletedDuringPartition(t *testing.T) {
	for _, outage := range []time.Duration{time.Second, 5 * time.Second, 20 * time.Second} {
		for seed := range uint64(5) {
			simulate(t, seed, func(w *world) {
				a := w.start("a", 0.8)
				w.start("b", 1.2)
				w.wait(20 * time.Second)
				w.balanced(15 * time.Second)
				a.network.set(partitioned)
				w.store.deleteAll(func(string) bool { return true })
				w.start("c", 1.2)
				time.Sleep(outage)
				a.network.set(faults{})
				w.wait(2 * defaultLeaseDuration)
			})
		}
	}
}

// Two owners: a backup from just before a move is restored, and a replica starts. Once the old owner has
// listed the slots, only it acts on one.
func TestRestoredBackup(t *testing.T) {
	for seed := range uint64(10) {
		simulate(t, seed, func(w *world) {
			a := w.start("a", 1)
			w.wait(20 * time.Second)
			restore := w.store.backup()
			w.start("b", w.rate())
			w.balanced(10 * time.Second)
			a.network.set(partitioned)
			restore()
			w.uncovered = time.Now().Add(uncovered())
			w.start("c", w.rate())
			time.Sleep(10 * time.Second)
			a.network.set(faults{})
			w.wait(2 * defaultLeaseDuration)
		})
	}
}

// Two owners, without exception: a backup is restored that has nothing given up, and no replica
// starts that has not listed before. All of them see that versions have gone backwards.
func TestRestoredBackupWithoutNewReplicas(t *testing.T) {
	for seed := range uint64(10) {
		simulate(t, seed, func(w *world) {
			a := w.start("a", w.rate())
			w.wait(20 * time.Second)
			b := w.start("b", w.rate())
			w.balanced(10 * time.Second)
			restore := w.store.backup()
			b.leave()
			w.wait(5 * time.Second)
			c := w.start("c", w.rate())
			w.balanced(10 * time.Second)
			restore()
			a.network.set(faults{latency: time.Second})
			w.wait(2 * defaultLeaseDuration)
			w.balanced(defaultLeaseDuration)
			if a.owned() == 0 || c.owned() == 0 {
				t.Errorf("one owns %d, the other one %d", a.owned(), c.owned())
			}
		})
	}
}

// Nobody, for more than two LeaseDurations: slots are missing when a slow member may not create them, or
// when versions have gone backwards.
func TestMissingSlots(t *testing.T) {
	for name, remove := range map[string]func(w *world, r *replica){
		"refused": func(w *world, r *replica) {
			r.network.set(faults{noCreates: true})
			w.store.deleteAll(func(name string) bool { return strings.HasPrefix(name, "orders-slot-") })
			time.Sleep(5 * time.Second)
			if s := r.member.Status(); s.Waiting != "it may not write Leases" {
				t.Errorf("refused, and waits because %s", s.Waiting)
			}
			r.network.set(faults{latency: 50 * time.Millisecond})
		},
		"restored": func(w *world, _ *replica) {
			w.store.empty(1000)
		},
	} {
		simulate(t, 1, func(w *world) {
			r := w.start("a", 0.8)
			w.wait(30 * time.Second)
			remove(w, r)
			time.Sleep(time.Second)
			t.Logf("%s: owners after %v", name, w.wait(2*defaultLeaseDuration))
		})
	}
}

// Two owners: a backup is restored in which slots were just given up that others act on now. All
// members see that versions have gone backwards, and take none of them for a while.
func TestRestoredBackupOfGivenUp(t *testing.T) {
	for seed := range uint64(10) {
		simulate(t, seed, func(w *world) {
			a := w.start("a", w.rate())
			w.wait(20 * time.Second)
			b := w.start("b", w.rate())
			w.balanced(10 * time.Second)
			a.network.set(partitioned) // so that what b gives up stays so
			b.leave()
			restore := w.store.backup()
			a.network.set(faults{})
			w.wait(10 * time.Second)
			c := w.start("c", w.rate())
			w.balanced(10 * time.Second)
			c.network.set(partitioned) // so that the other one lists first
			restore()
			time.Sleep(3 * time.Second)
			c.network.set(faults{})
			w.wait(2 * defaultLeaseDuration)
		})
	}
}

// Nobody, for ever: all Leases are deleted while one reconcile hangs. Its slot, too, has an owner
// in the end, since its context has ended and nobody can tell how long it will hang.
func TestDeletedWhileWorkHangs(t *testing.T) {
	simulate(t, 1, func(w *world) {
		a := w.start("a", 1)
		w.start("b", 1)
		w.wait(20 * time.Second)
		w.balanced(15 * time.Second)
		hash := uint64(0)
		if !a.member.OwnsHash(hash) {
			hash = 1<<64 - 1
		}
		ctx, end, ok := a.member.BeginHash(a.t.Context(), hash)
		if !ok {
			t.Fatal("not owned")
		}
		w.store.deleteAll(func(string) bool { return true })
		time.Sleep(3 * time.Second)
		w.wait(2 * defaultLeaseDuration)
		if !errors.Is(context.Cause(ctx), ErrLost) {
			t.Errorf("the context of the work has ended with %v", context.Cause(ctx))
		}
		end()
	})
}

// Wall clocks do not matter: no member reads the times in Leases, whatever they say.
func TestTimesInLeases(t *testing.T) {
	alone(t, func(w *world, r *replica) {
		ctx, end, _ := r.member.BeginHash(r.t.Context(), 1)
		defer end()
		for range 20 {
			time.Sleep(time.Second)
			w.store.mu.Lock()
			for name, lease := range w.store.state {
				lease = lease.DeepCopy()
				if lease.Spec.RenewTime != nil {
					lease.Spec.RenewTime.Time = time.Now().Add(-time.Hour)
				}
				lease.Spec.AcquireTime = &metav1.MicroTime{Time: time.Now().Add(time.Hour)}
				lease.ResourceVersion = w.store.next()
				w.store.state[name] = lease
			}
			w.store.mu.Unlock()
			if ctx.Err() != nil || r.owned() != 64 {
				t.Fatalf("%v, owns %d", ctx.Err(), r.owned())
			}
		}
	})
}

// Members do not touch Leases of others: the Lease of a leader election with the group's name, a Lease with
// the name of a slot, and a Lease of another group.
func TestLeasesOfOthers(t *testing.T) {
	simulate(t, 1, func(w *world) {
		holder := "somebody"
		before := map[string]*coordinationv1.Lease{}
		for name, labels := range map[string]map[string]string{
			"orders": nil, "orders-slot-07": nil, "orders-x": {protocol.Label: "orders"}, "orders-slot-00": {protocol.Label: "orders-slot"},
		} {
			lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
			lease.Spec.HolderIdentity = &holder
			before[name], _ = w.store.create(lease)
		}
		r := w.start("a", 1)
		time.Sleep(2 * defaultLeaseDuration)
		if s := r.member.Status(); s.Owned.Count != 62 || s.Unowned.Count != 2 || !strings.Contains(s.LastError, errForeign.Error()) {
			t.Errorf("status: %+v", s)
		}
		for name, lease := range before {
			if now, err := w.store.get(name); err != nil || now.ResourceVersion != lease.ResourceVersion {
				t.Errorf("%s was changed: %v, %v", name, now, err)
			}
		}
		maps.DeleteFunc(before, func(name string, _ *coordinationv1.Lease) bool { return !strings.Contains(name, "-slot-") })
		w.store.deleteAll(func(name string) bool { return before[name] != nil })
		w.wait(2 * defaultLeaseDuration)
	})
}

// A deleted life costs its own member's slots a moment, and a deleted slot itself a LeaseDuration.
func TestDeletedLeases(t *testing.T) {
	alone(t, func(w *world, r *replica) {
		w.store.deleteAll(func(name string) bool { return strings.HasPrefix(name, "orders-member-") })
		time.Sleep(4 * time.Second)
		if r.owned() != 64 {
			t.Errorf("owns %d slots after its life was deleted", r.owned())
		}
		w.store.deleteAll(func(name string) bool { return name == "orders-slot-07" })
		time.Sleep(4 * time.Second)
		if s := r.member.Status(); s.Owned.Count != 63 || s.Unowned.Count+s.Gaining.Count == 0 {
			t.Errorf("after a slot was deleted: %+v", s)
		}
		time.Sleep(defaultLeaseDuration)
		if r.owned() != 64 {
			t.Errorf("owns %d slots after that", r.owned())
		}
	})
}

// After the API server was down, everybody goes on with what it had.
func TestOutage(t *testing.T) {
	simulate(t, 1, func(w *world) {
		for _, name := range []string{"a", "b", "c"} {
			w.start(name, w.rate())
		}
		w.wait(20 * time.Second)
		w.balanced(15 * time.Second)
		before := map[string]string{}
		for _, r := range w.replicas {
			before[r.name] = r.member.Status().Owned.Ranges
			r.network.set(partitioned)
		}
		time.Sleep(time.Minute)
		for _, r := range w.replicas {
			if r.owned() != 0 {
				t.Errorf("%s owns %d", r.name, r.owned())
			}
			r.network.set(faults{latency: 20 * time.Millisecond})
		}
		if took := w.wait(10 * time.Second); took > 4*time.Second {
			t.Errorf("slots have owners after %v", took)
		}
		for _, r := range w.replicas {
			if now := r.member.Status().Owned.Ranges; now != before[r.name] {
				t.Errorf("%s had %s, and has %s", r.name, before[r.name], now)
			}
		}
	})
}

// A replica that was killed and restarts under its name has its slots again, within the same time.
func TestRestart(t *testing.T) {
	for _, after := range []time.Duration{0, 3 * time.Second, 8 * time.Second} {
		simulate(t, uint64(after), func(w *world) {
			a := w.start("a", 1)
			w.start("b", 1)
			w.wait(20 * time.Second)
			w.balanced(15 * time.Second)
			had := a.member.Status().Owned.Ranges
			a.kill()
			killed := time.Now()
			time.Sleep(after)
			a = w.start("a", 1)
			w.wait(2 * defaultLeaseDuration)
			if took := time.Since(killed); took > defaultLeaseDuration+2*time.Second {
				t.Errorf("restarted after %v: slots have owners after %v", after, took)
			}
			w.balanced(5 * time.Second)
			if has := a.member.Status().Owned.Ranges; has != had {
				t.Errorf("had %s, has %s", had, has)
			}
		})
	}
}

// logOf collects the lines of a log.
type logOf struct {
	mu    sync.Mutex
	lines []string
}

func (l *logOf) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, string(p))
	return len(p), nil
}

// take returns the lines since the last call.
func (l *logOf) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// logged has the world log, as programs do by default.
func (w *world) logged() *logOf {
	l := &logOf{}
	w.logger = textlogger.NewLogger(textlogger.NewConfig(textlogger.Output(l)))
	return l
}

// wantLines compares a log with texts that its lines have.
func wantLines(t *testing.T, when string, got []string, want ...string) {
	t.Helper()
	for i, line := range got {
		if i >= len(want) || !strings.Contains(line, want[i]) {
			t.Errorf("%s: line %d, want %q: %s", when, i, want, line)
		}
	}
	if len(got) < len(want) {
		t.Errorf("%s: %d lines, want %q", when, len(got), want)
	}
}

// A failure is logged once for each kind of request and of error, and so is its end, however long it lasts.
func TestFailuresAreLogged(t *testing.T) {
	simulate(t, 1, func(w *world) {
		log := w.logged()
		w.wrap = func(n *network) Leases {
			n.set(faults{noLists: true})
			return n
		}
		r := w.start("a", 1)
		time.Sleep(time.Hour)
		wantLines(t, "refused from the start", log.take(), `"Request for Leases failed, trying again" err="leases.coordination.k8s.io is forbidden: RBAC" group="orders" identity="a" verb="list"`)
		r.network.set(faults{})
		time.Sleep(time.Minute)
		wantLines(t, "granted", log.take(), `"Requests for Leases succeed again" group="orders" identity="a"`)
		r.network.set(faults{noWrites: true})
		time.Sleep(time.Hour)
		wantLines(t, "refused later", log.take(), `verb="update"`)
		r.network.set(partitioned)
		time.Sleep(time.Hour)
		wantLines(t, "cut, too", log.take(), `err="network" group="orders" identity="a" verb="list"`)
		r.network.set(faults{latency: 10 * time.Millisecond})
		time.Sleep(time.Minute)
		wantLines(t, "all is well", log.take(), "succeed again")
		if s := r.member.Status(); s.Failures < 1000 || s.Owned.Count != Slots {
			t.Errorf("%+v", s)
		}
	})
}

// Of living members with one identity, the earlier ones are not ready and say why; they have a share when
// the later ones are gone.
func TestSameIdentity(t *testing.T) {
	simulate(t, 1, func(w *world) {
		log := w.logged()
		first := w.start("a", 1)
		w.wait(20 * time.Second)
		log.take()
		second := w.start("a", 1)
		time.Sleep(2 * defaultLeaseDuration)
		if s := first.member.Status(); s.Phase != Joining || s.Owned.Count != 0 || s.Waiting != "another living member has its identity" {
			t.Errorf("the first one: %+v", s)
		}
		if s := second.member.Status(); s.Phase != Active || s.Owned.Count != Slots {
			t.Errorf("the second one: %+v", s)
		}
		wantLines(t, "both live", log.take(), `"Another living member has this identity and gets its slots: give each replica an Identity of its own" group="orders" identity="a" other="a/`)
		time.Sleep(time.Hour)
		wantLines(t, "for long", log.take())
		second.leave()
		time.Sleep(2 * defaultLeaseDuration)
		if s := first.member.Status(); s.Phase != Active || s.Owned.Count != Slots || s.Waiting != "" {
			t.Errorf("the first one, alone: %+v", s)
		}
		wantLines(t, "alone again", log.take(), `"No other living member has this identity any more"`)
	})
}

// A member that was killed and restarts under its name is no other member.
func TestRestartIsNoCollision(t *testing.T) {
	simulate(t, 1, func(w *world) {
		a := w.start("a", 1)
		w.wait(20 * time.Second)
		a.kill()
		time.Sleep(time.Second)
		log := w.logged()
		w.start("a", 1)
		time.Sleep(2 * defaultLeaseDuration)
		for _, line := range log.take() {
			if strings.Contains(line, "identity and") {
				t.Error(line)
			}
		}
	})
}

// Slots without an owner are in the status when every member is refused, from the start or later, and to
// list or to write.
func TestUnownedWhenRefused(t *testing.T) {
	for name, f := range map[string]faults{"list": {noLists: true}, "write": {noWrites: true}, "create": {noCreates: true}} {
		for _, members := range []int{1, 3} {
			simulate(t, 1, func(w *world) {
				w.wrap = func(n *network) Leases {
					n.set(f)
					return n
				}
				var all []*replica
				for i := range members {
					all = append(all, w.start(fmt.Sprint("replica-", i), 1))
				}
				unowned := func(when string, want int) {
					t.Helper()
					time.Sleep(2*time.Minute + 2*defaultLeaseDuration)
					for _, r := range all {
						s := r.member.Status()
						if s.Unowned.Count != want || want > 0 && (time.Since(s.Unowned.Since) < 2*time.Minute || s.Phase == Active) {
							t.Errorf("%s, %s of %d members: %s, %d unowned since %v", name, when, members, s.Phase, s.Unowned.Count, time.Since(s.Unowned.Since))
						}
					}
				}
				unowned("refused", Slots)
				for _, r := range all {
					r.network.set(faults{})
				}
				unowned("granted", 0)
				if name == "create" {
					return // until a Lease is missing it needs none
				}
				for _, r := range all {
					r.network.set(f)
				}
				unowned("refused later", Slots)
				for _, r := range all {
					r.network.set(faults{})
				}
				unowned("granted again", 0)
				all[0].leave()
				if s := all[0].member.Status(); s.Phase != Stopped || s.Unowned.Count != 0 {
					t.Errorf("after its end: %+v", s)
				}
			})
		}
	}
}

// A namespace that does not exist is no conflict.
func TestNoNamespace(t *testing.T) {
	simulate(t, 1, func(w *world) {
		log := w.logged()
		w.wrap = func(n *network) Leases { return elsewhere{n} }
		r := w.start("a", 1)
		time.Sleep(time.Minute)
		if s := r.member.Status(); s.Phase != Joining || !strings.Contains(s.LastError, `create leases: namespaces "shop" not found`) {
			t.Errorf("%+v", s)
		}
		wantLines(t, "without its namespace", log.take(), `namespaces \"shop\" not found`)
	})
}

// elsewhere is the Leases of a namespace that does not exist.
type elsewhere struct{ *network }

func (elsewhere) Create(context.Context, *coordinationv1.Lease, metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return nil, apierrors.NewNotFound(schema.GroupResource{Resource: "namespaces"}, "shop")
}

func (elsewhere) List(context.Context, metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	return &coordinationv1.LeaseList{}, nil
}
