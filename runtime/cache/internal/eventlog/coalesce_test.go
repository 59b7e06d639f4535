package eventlog

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
)

var listed = cause.Cause{Kind: cause.List}

func incarnation(name, uid string, version int) *metav1.PartialObjectMetadata {
	obj := &metav1.PartialObjectMetadata{}
	obj.Name, obj.UID, obj.ResourceVersion = name, types.UID(uid), fmt.Sprint(version)
	return obj
}

// What several events of one object become.
func TestCoalesce(t *testing.T) {
	a1, a2, a3 := incarnation("x", "a", 1), incarnation("x", "a", 2), incarnation("x", "a", 3)
	b4, b5 := incarnation("x", "b", 4), incarnation("x", "b", 5)
	type object = *metav1.PartialObjectMetadata
	add := func(obj object) Event { return Event{Kind: Added, Object: obj} }
	update := func(old, obj object) Event {
		return Event{Kind: Updated, Old: old, Object: obj}
	}
	remove := func(old, last object) Event {
		return Event{Kind: Deleted, Old: old, Object: last}
	}
	gone := func(last object) Event {
		return Event{Kind: Deleted, Old: last, Object: last, FinalStateUnknown: true}
	}
	same := func(obj object) Event { return Event{Kind: Unchanged, Object: obj} }

	for _, test := range []struct {
		name   string
		events []Event
		want   []string
	}{
		{"one addition", []Event{add(a1)}, []string{"add a1"}},
		{"an addition and its updates are an addition", []Event{add(a1), update(a1, a2), update(a2, a3)}, []string{"add a3"}},
		{"an addition and a deletion vanish", []Event{add(a1), update(a1, a2), remove(a2, a3)}, nil},
		{"updates are one from the first to the last", []Event{update(a1, a2), update(a2, a3)}, []string{"update a1 a3"}},
		{"a deletion after updates is a deletion", []Event{update(a1, a2), remove(a2, a3)}, []string{"delete a3"}},
		{"a deletion that was missed says so", []Event{update(a1, a2), gone(a2)}, []string{"delete a2 unseen"}},
		{"another UID is a deletion and an addition", []Event{remove(a1, a2), add(b4), update(b4, b5)}, []string{"delete a2", "add b5"}},
		{"also in one update", []Event{update(a1, b4)}, []string{"delete a1 unseen", "add b4"}},
		{"what came and went after a deletion was never there", []Event{remove(a1, a2), add(b4), remove(b4, b5)}, []string{"delete a2"}},
		{"the same UID that comes back is an update", []Event{remove(a1, a2), add(a3)}, []string{"update a1 a3"}},
		{"what a relist found as it was", []Event{same(a1)}, []string{"update a1 a1"}},
		{"what a relist found as it was, after an update", []Event{update(a1, a2), same(a2)}, []string{"update a1 a2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCoalesced()
			for _, e := range test.events {
				c.merge(types.NamespacedName{Name: "x"}, &e, &listed)
			}
			var got []string
			for {
				e, _, ok := c.take()
				if !ok {
					break
				}
				got = append(got, eventLine(e))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if c.len() != 0 || len(c.byKey) != 0 {
				t.Errorf("%d changes and %d keys are left", c.len(), len(c.byKey))
			}
		})
	}
}

// A merged event has the cause of the change that has led to the state with which the handler
// is called.
func TestCauseOfCoalesced(t *testing.T) {
	a1, a2, a3, b4 := incarnation("x", "a", 1), incarnation("x", "a", 2), incarnation("x", "a", 3), incarnation("x", "b", 4)
	update := func(old, obj any, watched bool) Event {
		return Event{Kind: Updated, Old: old, Object: obj, Watched: watched}
	}
	remove := func(old any, watched bool) Event {
		return Event{Kind: Deleted, Old: old, Object: old, Watched: watched}
	}
	add := func(obj any, watched bool) Event {
		return Event{Kind: Added, Object: obj, Watched: watched}
	}
	same := Event{Kind: Unchanged, Object: a2}
	for _, test := range []struct {
		name   string
		events []Event
		want   []cause.Kind
	}{
		{"a watch event, then a list", []Event{update(a1, a2, true), update(a2, a3, false)}, []cause.Kind{cause.List}},
		{"a list, then a watch event", []Event{update(a1, a2, false), update(a2, a3, true)}, []cause.Kind{cause.Watch}},
		{"a watch event, and a list of the same", []Event{update(a1, a2, true), same}, []cause.Kind{cause.Watch}},
		{"a list of the same", []Event{same}, []cause.Kind{cause.List}},
		{"a list of the same, then a watch event", []Event{same, update(a2, a3, true)}, []cause.Kind{cause.Watch}},
		{"a deletion that a list noticed", []Event{update(a1, a2, true), remove(a2, false)}, []cause.Kind{cause.List}},
		{"a deletion, then another object in a list", []Event{remove(a1, true), add(b4, false)}, []cause.Kind{cause.Watch, cause.List}},
		{"another object in a list, then a watch event", []Event{update(a1, b4, false), update(b4, b4, true)}, []cause.Kind{cause.List, cause.Watch}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCoalesced()
			for _, e := range test.events {
				c.merge(types.NamespacedName{Name: "x"}, &e, &listed)
			}
			var got []cause.Kind
			for _, why, ok := c.take(); ok; _, why, ok = c.take() {
				got = append(got, why.Kind)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func eventLine(e Event) string {
	name := func(obj any) string {
		m := obj.(*metav1.PartialObjectMetadata)
		return string(m.UID) + m.ResourceVersion
	}
	switch {
	case e.Kind == Added:
		return "add " + name(e.Object)
	case e.Kind == Updated:
		return "update " + name(e.Old) + " " + name(e.Object)
	case e.FinalStateUnknown:
		return "delete " + name(e.Object) + " unseen"
	default:
		return "delete " + name(e.Object)
	}
}

// Whatever happens, and whenever a handler takes an event, it never hears of an
// object that it does not know, has each object once, and knows in the end what
// there is.
func FuzzCoalesce(f *testing.F) {
	for seed := range uint64(64) {
		random := rand.New(rand.NewPCG(seed, 0))
		script := make([]byte, 200)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		type object = *metav1.PartialObjectMetadata
		truth, known := map[string]object{}, map[string]object{}
		c := newCoalesced()
		take := func() bool {
			e, _, ok := c.take()
			if !ok {
				return false
			}
			obj := e.Object.(object)
			old := known[obj.Name]
			switch e.Kind {
			case Added:
				if old != nil {
					t.Fatalf("%s: added, but is known", eventLine(e))
				}
				known[obj.Name] = obj
			case Updated:
				if old != e.Old || !sameUID(old, e.Object) {
					t.Fatalf("%s: known is %v", eventLine(e), old)
				}
				known[obj.Name] = obj
			case Deleted:
				if old == nil || !sameUID(old, e.Object) {
					t.Fatalf("%s: known is %v", eventLine(e), old)
				}
				delete(known, obj.Name)
			}
			return true
		}
		for version, b := range script {
			name, uid := fmt.Sprint(b%4), fmt.Sprint(b/4%3)
			key := types.NamespacedName{Name: name}
			obj, old := incarnation(name, uid, version), truth[name]
			switch action := b / 16 % 4; {
			case action == 0:
				take()
			case old == nil:
				c.merge(key, &Event{Kind: Added, Object: obj}, &listed)
				truth[name] = obj
			case action == 1:
				last := incarnation(name, string(old.UID), version)
				c.merge(key, &Event{Kind: Deleted, Old: old, Object: last}, &listed)
				delete(truth, name)
			case action == 2 && old.UID == obj.UID:
				c.merge(key, &Event{Kind: Unchanged, Object: old}, &listed)
			default:
				c.merge(key, &Event{Kind: Updated, Old: old, Object: obj}, &listed)
				truth[name] = obj
			}
			if c.len() > 4 {
				t.Fatalf("%d changes of 4 keys", c.len())
			}
		}
		for take() {
		}
		if diff := cmp.Diff(truth, known); diff != "" {
			t.Errorf("known (-truth +known):\n%s", diff)
		}
	})
}
