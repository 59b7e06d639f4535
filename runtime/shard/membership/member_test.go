package membership

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	coordinationv1 "k8s.io/api/coordination/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// alone runs a world with one replica that owns everything.
func alone(t *testing.T, run func(w *world, r *replica)) {
	simulate(t, 1, func(w *world) {
		r := w.start("a", 1)
		w.wait(10 * time.Second)
		run(w, r)
	})
}

func (r *replica) owned() float64 { return r.member.Status().Owned.Fraction }

// A range is handed over when the work in it has ended, however long that takes; its context
// ends after DrainTimeout.
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
		gaining := second.member.Status().Gaining.Fraction
		if gaining < 0.1 {
			t.Errorf("ranges with work were handed over: %+v", second.member.Status())
		}
		if r.member.Status().Losing.Fraction != gaining {
			t.Errorf("one gains %v of what the other one loses: %+v", gaining, r.member.Status())
		}
		time.Sleep(5 * time.Second)
		ended := 0
		for _, work := range all {
			owned := r.member.OwnsHash(work.hash)
			if lost := errors.Is(context.Cause(work), ErrLost); owned == lost {
				t.Errorf("hash %x: owned %v, context: %v", work.hash, owned, context.Cause(work))
			}
			if second.member.OwnsHash(work.hash) {
				t.Errorf("hash %x was handed over", work.hash)
			}
			if work.Err() != nil {
				ended++
			}
		}
		if ended < 20 || ended > 44 {
			t.Errorf("%d of %d contexts have ended", ended, len(all))
		}
		for _, work := range all {
			work.end()
			work.end() // does nothing
		}
		time.Sleep(time.Second)
		w.balanced(time.Second)
	})
}

// A replica that can't renew its Lease loses everything and gains it again, and its listeners
// are told in order.
func TestLapse(t *testing.T) {
	alone(t, func(w *world, r *replica) {
		var mu sync.Mutex
		var told []string
		tell := func(what string) func(shard.Ranges) {
			return func(ranges shard.Ranges) {
				mu.Lock()
				defer mu.Unlock()
				told = append(told, fmt.Sprintf("%s %.1f", what, ranges.Fraction()))
			}
		}
		r.member.OnChange(tell("gained"), tell("lost"))
		r.member.OnChange(nil, nil)
		ctx, end, _ := r.member.BeginHash(r.t.Context(), 1)
		defer end()
		r.network.set(faults{partitioned: true})
		began := time.Now()
		<-ctx.Done()
		if took := time.Since(began); took > defaultLeaseDuration/2 || !errors.Is(context.Cause(ctx), ErrLost) {
			t.Errorf("context ended after %v: %v", took, context.Cause(ctx))
		}
		if s := r.member.Status(); s.Phase != Expired || s.Owned.Fraction != 0 || s.LastError == nil {
			t.Errorf("status of an expired one: %+v", s)
		}
		r.network.set(faults{})
		w.wait(5 * time.Second)
		time.Sleep(time.Second)
		mu.Lock()
		defer mu.Unlock()
		if want := []string{"gained 1.0", "lost 1.0", "gained 1.0"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}

// Owns finds a Lease too old at once after the process was stopped, and so does the context of
// work, whichever is asked first. Nobody else asks: timers of the process have not fired yet.
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
		for _, suspend := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, 1)
				r := w.start("a", 1)
				w.wait(10 * time.Second)
				work, end, ok := r.member.BeginHash(t.Context(), 1)
				if !ok || !ask(r, work) {
					t.Fatal("does not own what it should")
				}
				stop, resume := r.clock.gate.stop, r.clock.gate.resume
				if suspend {
					stop, resume = r.clock.suspend, r.clock.wake
				}
				stop()
				time.Sleep(defaultLeaseDuration / 2)
				if ask(r, work) {
					t.Errorf("%s, suspended %v: still owns", name, suspend)
				}
				end()
				resume()
				r.leave()
			})
		}
	}
}

// unlisted is a client that may not list.
type unlisted struct{ *network }

func (u *unlisted) List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	if u.refusesLists() {
		return nil, apierrors.NewForbidden(leaseResource, "", errors.New("RBAC"))
	}
	return u.network.List(ctx, options)
}

// A member that can renew its Lease and not list gives way to others.
func TestCannotList(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.wrap = func(n *network) Leases { return &unlisted{n} }
		a := w.start("a", 1)
		w.wait(10 * time.Second)
		a.network.set(faults{noLists: true})
		b := w.start("b", 1)
		time.Sleep(3 * defaultLeaseDuration)
		if owned := b.owned(); owned != 1 {
			t.Errorf("the other one owns %v", owned)
		}
		a.network.set(faults{})
		w.balanced(20 * time.Second)
	})
}

// Work that does not end does not keep Run from returning, with an error.
func TestLeaveInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1)
		r := w.start("a", 1)
		w.wait(10 * time.Second)
		ctx, end, _ := r.member.BeginHash(r.t.Context(), 1)
		began := time.Now()
		r.stop()
		<-ctx.Done()
		if err := <-r.ended; !errors.Is(err, errNotHandedOver) || !strings.HasPrefix(err.Error(), `member "a" of "orders": `) {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began).Round(time.Millisecond); took != defaultLeaseDuration*3/2 {
			t.Errorf("took %v", took)
		}
		end()
		if s := r.member.Status(); s.Phase != Stopped || s.Owned.Fraction != 0 {
			t.Errorf("status after the end: %+v", s)
		}
		if err := r.member.Run(t.Context()); !errors.Is(err, ErrStarted) {
			t.Errorf("second Run: %v", err)
		}
	})
}

// A replica that leaves hands over what it has and deletes its Lease. The last one leaves the
// Lease of the group alone.
func TestLeave(t *testing.T) {
	simulate(t, 1, func(w *world) {
		a, b := w.start("a", 1), w.start("b", 1)
		w.balanced(20 * time.Second)
		a.leave()
		if took := w.wait(time.Second); took > 2*time.Second {
			t.Errorf("ranges had no owner for %v", took)
		}
		b.leave()
		list, _ := w.store.list("", 0)
		if len(list.Items) != 1 || !strings.HasSuffix(list.Items[0].Annotations[annotationOwners], `"owners":{}}`) {
			t.Errorf("left: %v", list.Items)
		}
		c := w.start("c", 1)
		w.wait(5 * time.Second)
		c.network.set(faults{})
	})
}

// A group whose Leases were deleted, or are what they were some time ago, since a backup was
// restored, has owners again.
func TestLostHistory(t *testing.T) {
	for name, lose := range map[string]func(*store){
		"Lease of the group deleted": func(s *store) { _ = s.delete("orders", nil) },
		"text of somebody": func(s *store) {
			lease, _ := s.get("orders")
			lease.Annotations[annotationOwners] = "?"
			_, _ = s.update(lease)
			time.AfterFunc(20*time.Second, func() { _ = s.delete("orders", nil) }) // as the status asks for
		},
		"label removed": func(s *store) {
			lease, _ := s.get("orders")
			lease.Labels = nil
			_, _ = s.update(lease)
		},
		"all deleted": func(s *store) {
			list, _ := s.list("", 0)
			for _, lease := range list.Items {
				_ = s.delete(lease.Name, nil)
			}
		},
		"restored": func(s *store) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.leases = s.history[8].leases
			s.history = append(s.history, state{time.Now(), s.version, s.leases})
		},
	} {
		t.Run(name, func(t *testing.T) {
			simulate(t, 2, func(w *world) {
				for _, name := range []string{"a", "b", "c"} {
					w.start(name, 1)
				}
				w.wait(10 * time.Second)
				w.balanced(10 * time.Second)
				lose(w.store)
				time.Sleep(time.Minute)
				w.wait(60 * time.Second)
				w.balanced(60 * time.Second)
			})
		})
	}
}

// Replicas that start together divide the ranges once, and none has them all for a moment.
func TestStartTogether(t *testing.T) {
	simulate(t, 1, func(w *world) {
		for i := range 5 {
			w.start(fmt.Sprint(i), 1).network.set(faults{latency: 100 * time.Millisecond})
			time.Sleep(500 * time.Millisecond)
		}
		for w.owned() < len(w.keys) {
			for _, r := range w.replicas {
				if r.owned() > 0.21 {
					t.Errorf("%s owns %.2f", r.name, r.owned())
				}
			}
			time.Sleep(100 * time.Millisecond)
		}
		if epoch := w.replicas[0].member.Status().Epoch; epoch > 2 {
			t.Errorf("owners were written %d times", epoch)
		}
	})
}

// With too few members, nobody gets what has no owner.
func TestMinMembers(t *testing.T) {
	simulate(t, 1, func(w *world) {
		w.options.MinMembers = 2
		a := w.start("a", 1)
		time.Sleep(time.Minute)
		if a.owned() > 0 {
			t.Errorf("alone, it owns %v", a.owned())
		}
		b := w.start("b", 1)
		w.wait(10 * time.Second)
		b.leave()
		time.Sleep(10 * time.Second)
		if s := a.member.Status(); s.Owned.Fraction != 0.5 || s.Unowned != 0.5 {
			t.Errorf("alone again: %+v", s)
		}
	})
}

// The more members there are, the less often each one lists: all of them about as often as ten.
func TestRequests(t *testing.T) {
	simulate(t, 1, func(w *world) {
		for i := range 20 {
			w.start(fmt.Sprintf("%02d", i), 1).network.set(faults{latency: 5 * time.Millisecond})
		}
		w.wait(20 * time.Second)
		w.balanced(20 * time.Second)
		requests := func() (n int) {
			for _, r := range w.replicas {
				r.network.mu.Lock()
				n += r.network.requests
				r.network.mu.Unlock()
			}
			return n
		}
		before := requests()
		time.Sleep(30 * time.Second)
		perSecond := float64(requests()-before) / 30
		if perSecond > 20/1.875+15 {
			t.Errorf("%.1f requests per second", perSecond)
		}
		t.Logf("20 members send %.1f requests per second", perSecond)
		w.replicas[0].kill()
		limit := defaultLeaseDuration + 2*time.Second
		if took := w.wait(2 * limit); took > limit {
			t.Errorf("taken over after %v", took)
		}
		w.balanced(10 * time.Second)
	})
}

// refusing is a client whose requests are all refused.
type refusing struct{ Leases }

func (*refusing) Create(context.Context, *coordinationv1.Lease, metav1.CreateOptions) (*coordinationv1.Lease, error) {
	return nil, apierrors.NewForbidden(leaseResource, "x", errors.New("RBAC"))
}

func (*refusing) Delete(context.Context, string, metav1.DeleteOptions) error { return nil }

// What goes wrong is in the status, which is JSON.
func TestRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, err := New(&refusing{}, Options{Group: "orders", Identity: "a"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		time.Sleep(10 * time.Second)
		s := m.Status()
		if s.Phase != Joining || !apierrors.IsForbidden(s.LastError) || s.Failures < 5 {
			t.Errorf("got %+v", s)
		}
		text, err := json.Marshal(s)
		if err != nil || !strings.Contains(string(text), `"lastError":"renew lease: leases.coordination.k8s.io \"x\" is forbidden: RBAC"`) || !strings.Contains(string(text), `"phase":"joining"`) {
			t.Errorf("JSON: %s, %v", text, err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// The parts of a group are those of its namespaces, and stay while they are good enough.
func TestPartsOfNamespaces(t *testing.T) {
	simulate(t, 1, func(w *world) {
		var mu sync.Mutex
		objects := map[string]int{}
		for i := range 200 {
			objects[fmt.Sprintf("ns-%d", i)] = 5
		}
		w.options.Parts = func(current []shard.Ranges) []shard.Ranges {
			mu.Lock()
			defer mu.Unlock()
			if len(current) != 32 {
				return shard.Balance(objects, 32)
			}
			return shard.Rebalance(current, objects, 1.2)
		}
		for _, name := range []string{"a", "b", "c", "d"} {
			w.start(name, 1)
		}
		w.wait(10 * time.Second)
		time.Sleep(2 * defaultLeaseDuration)
		has := func(r *replica) (n int) {
			for namespace, objects := range objects {
				if r.member.OwnsHash(shard.Hash(namespace)) {
					n += objects
				}
			}
			return n
		}
		for _, r := range w.replicas {
			if n := has(r); n < 220 || n > 280 {
				t.Errorf("%s has %d of 1,000 objects", r.name, n)
			}
		}
		epoch := w.replicas[0].member.Status().Epoch
		mu.Lock()
		objects["new"] = 1
		mu.Unlock()
		time.Sleep(5 * defaultLeaseDuration)
		if now := w.replicas[0].member.Status().Epoch; now != epoch {
			t.Errorf("a small namespace is new, and parts were written %d times", now-epoch)
		}
	})
}

// The parts of a group change while it works, and nobody notices.
func TestParts(t *testing.T) {
	simulate(t, 1, func(w *world) {
		var mu sync.Mutex
		parts := shard.All().Split(7)
		w.options.Parts = func([]shard.Ranges) []shard.Ranges {
			mu.Lock()
			defer mu.Unlock()
			return parts
		}
		for _, name := range []string{"a", "b", "c"} {
			w.start(name, 1)
		}
		w.wait(10 * time.Second)
		random := rand.New(rand.NewPCG(1, 1))
		for range 20 {
			mu.Lock()
			parts = shard.All().Split(3 + random.IntN(40))
			n := len(parts)
			mu.Unlock()
			time.Sleep(20 * time.Second)
			if owned := w.owned(); owned < len(w.keys) {
				t.Errorf("%d of %d keys have an owner", owned, len(w.keys))
			}
			for _, r := range w.replicas {
				share, one := r.owned(), 1/float64(n)
				if share < 1./3-one || share > 1./3+one {
					t.Errorf("of %d parts, %s owns %.3f", n, r.name, share)
				}
			}
		}
		mu.Lock()
		parts = parts[1:]
		mu.Unlock()
		time.Sleep(20 * time.Second)
		wrong := 0
		for _, r := range w.replicas {
			if errors.Is(r.member.Status().LastError, ErrInvalid) {
				wrong++
			}
		}
		if wrong != 1 {
			t.Errorf("%d members say that the parts are not all hashes, want the one that asks", wrong)
		}
	})
}

// A list that is older than what was written, and is read before the response, takes nothing from
// the member that has got it.
func TestLateResponse(t *testing.T) {
	simulate(t, 1, func(w *world) {
		var slow *slowWriter
		w.wrap = func(n *network) Leases {
			slow = &slowWriter{network: n}
			return slow
		}
		w.start("a", 1)
		w.wait(10 * time.Second)
		w.wrap = nil
		slow.old = time.Now()
		time.Sleep(time.Second)
		b := w.start("b", 1)
		for range 100 {
			time.Sleep(200 * time.Millisecond)
			w.check()
		}
		w.balanced(time.Second)
		if owned := b.owned(); owned != 0.5 {
			t.Errorf("owns %v", owned)
		}
	})
}

// When the API server was down for long, each replica goes on with what it had.
func TestOutage(t *testing.T) {
	for seed := range uint64(5) {
		simulate(t, seed, func(w *world) {
			for i, name := range []string{"a", "b", "c", "d"} {
				w.start(name, []float64{0.8, 0.9, 1.1, 1.2}[i])
			}
			w.wait(10 * time.Second)
			w.balanced(10 * time.Second)
			before := map[*replica]string{}
			for _, r := range w.replicas {
				before[r] = r.member.Status().Owned.Ranges
				r.network.set(faults{partitioned: true})
			}
			time.Sleep(time.Minute)
			if owned := w.check(); owned > 0 {
				t.Errorf("%d keys have an owner while the server is down", owned)
			}
			for _, r := range w.replicas {
				r.network.set(faults{latency: 50 * time.Millisecond})
			}
			if took := w.wait(10 * time.Second); took > 7*time.Second {
				t.Errorf("goes on after %v", took)
			}
			time.Sleep(time.Minute)
			for r, want := range before {
				if got := r.member.Status().Owned.Ranges; got != want {
					t.Errorf("%s owns %s, and owned %s", r.name, got, want)
				}
			}
		})
	}
}

// Someone deletes the Lease of the group, and then that of a member that can't know of it. The
// others wait, also one that is new, and one that has the name of that member.
func TestDeletedTogether(t *testing.T) {
	for _, name := range []string{"a", "d"} {
		simulate(t, 1, func(w *world) {
			a := w.start("a", 0.8)
			w.start("b", 1)
			w.wait(10 * time.Second)
			w.balanced(10 * time.Second)
			_ = w.store.delete("orders", nil)
			a.network.set(faults{partitioned: true})
			w.start(name, 1.2)
			time.Sleep(1500 * time.Millisecond)
			_ = w.store.delete(a.member.Status().Lease, nil)
			time.Sleep(20 * time.Second)
			w.wait(time.Second)
			a.network.set(faults{})
		})
	}
}
