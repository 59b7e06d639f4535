package cache

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

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
	add := func(obj object) event[object] { return event[object]{kind: added, obj: obj} }
	update := func(old, obj object) event[object] { return event[object]{kind: updated, old: old, obj: obj} }
	remove := func(old, last object) event[object] { return event[object]{kind: removed, old: old, obj: last} }
	gone := func(last object) event[object] {
		return event[object]{kind: removed, old: last, obj: last, finalStateUnknown: true}
	}
	same := func(obj object) event[object] { return event[object]{kind: unchanged, obj: obj} }

	for _, test := range []struct {
		name   string
		events []event[object]
		want   []string
	}{
		{"one addition", []event[object]{add(a1)}, []string{"add a1"}},
		{"an addition and its updates are an addition", []event[object]{add(a1), update(a1, a2), update(a2, a3)}, []string{"add a3"}},
		{"an addition and a deletion vanish", []event[object]{add(a1), update(a1, a2), remove(a2, a3)}, nil},
		{"updates are one from the first to the last", []event[object]{update(a1, a2), update(a2, a3)}, []string{"update a1 a3"}},
		{"a deletion after updates is a deletion", []event[object]{update(a1, a2), remove(a2, a3)}, []string{"delete a3"}},
		{"a deletion that was missed says so", []event[object]{update(a1, a2), gone(a2)}, []string{"delete a2 unseen"}},
		{"another UID is a deletion and an addition", []event[object]{remove(a1, a2), add(b4), update(b4, b5)}, []string{"delete a2", "add b5"}},
		{"also in one update", []event[object]{update(a1, b4)}, []string{"delete a1 unseen", "add b4"}},
		{"what came and went after a deletion was never there", []event[object]{remove(a1, a2), add(b4), remove(b4, b5)}, []string{"delete a2"}},
		{"the same UID that comes back is an update", []event[object]{remove(a1, a2), add(a3)}, []string{"update a1 a3"}},
		{"what a relist found as it was", []event[object]{same(a1)}, []string{"update a1 a1"}},
		{"what a relist found as it was, after an update", []event[object]{update(a1, a2), same(a2)}, []string{"update a1 a2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newCoalesced[object]()
			for _, e := range test.events {
				c.merge(types.NamespacedName{Name: "x"}, &e)
			}
			var got []string
			for {
				e, ok := c.take()
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

func eventLine(e event[*metav1.PartialObjectMetadata]) string {
	name := func(obj *metav1.PartialObjectMetadata) string { return string(obj.UID) + obj.ResourceVersion }
	switch {
	case e.kind == added:
		return "add " + name(e.obj)
	case e.kind == updated:
		return "update " + name(e.old) + " " + name(e.obj)
	case e.finalStateUnknown:
		return "delete " + name(e.obj) + " unseen"
	default:
		return "delete " + name(e.obj)
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
		c := newCoalesced[object]()
		take := func() bool {
			e, ok := c.take()
			if !ok {
				return false
			}
			old := known[e.obj.Name]
			switch e.kind {
			case added:
				if old != nil {
					t.Fatalf("%s: added, but is known", eventLine(e))
				}
				known[e.obj.Name] = e.obj
			case updated:
				if old != e.old || !sameUID(old, e.obj) {
					t.Fatalf("%s: known is %v", eventLine(e), old)
				}
				known[e.obj.Name] = e.obj
			case removed:
				if old == nil || !sameUID(old, e.obj) {
					t.Fatalf("%s: known is %v", eventLine(e), old)
				}
				delete(known, e.obj.Name)
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
				c.merge(key, &event[object]{kind: added, obj: obj})
				truth[name] = obj
			case action == 1:
				last := incarnation(name, string(old.UID), version)
				c.merge(key, &event[object]{kind: removed, old: old, obj: last})
				delete(truth, name)
			case action == 2 && old.UID == obj.UID:
				c.merge(key, &event[object]{kind: unchanged, obj: old})
			default:
				c.merge(key, &event[object]{kind: updated, old: old, obj: obj})
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
