package eventlog

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// A merger that is held gives out what happened before the position and nothing else, whatever
// is merged meanwhile, and what came later after that.
func TestMergerHold(t *testing.T) {
	type object = *metav1.PartialObjectMetadata
	keyOf := func(obj any) (types.NamespacedName, error) {
		return types.NamespacedName{Name: obj.(object).Name}, nil
	}
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var log Log
		var cursor Cursor
		log.Open(&cursor)
		m := NewMerger(&cursor)
		truth, known := map[string]object{}, map[string]object{}
		var held map[string]object // the truth at the position
		take := func() {
			e, _, ok := m.Take()
			if !ok {
				return
			}
			obj := e.Object.(object)
			switch old := known[obj.Name]; {
			case e.Kind == Deleted:
				delete(known, obj.Name)
			case e.Kind == Updated && old != e.Old, e.Kind == Added && old != nil:
				t.Fatalf("seed %d: %s, but known is %v", seed, eventLine(e), old)
			default:
				known[obj.Name] = obj
			}
		}
		for version := range 300 {
			switch name := fmt.Sprint(random.IntN(4)); random.IntN(8) {
			case 0:
				m.Merge(keyOf)
			case 1, 2:
				take()
			case 3:
				if held == nil && m.Hold(log.End()) {
					held = maps.Clone(truth)
				}
			case 4:
				if old := truth[name]; old != nil {
					log.Append(&Event{Kind: Deleted, Old: old, Object: old})
					delete(truth, name)
				}
			default:
				old, obj := truth[name], incarnation(name, "uid", version)
				if truth[name] = obj; old == nil {
					log.Append(&Event{Kind: Added, Object: obj})
				} else {
					log.Append(&Event{Kind: Updated, Old: old, Object: obj})
				}
			}
			log.Show()
			if held != nil && m.Reached() {
				if !maps.Equal(known, held) {
					t.Fatalf("seed %d: known is %v, want %v", seed, known, held)
				}
				m.Resume()
				held = nil
			}
		}
		for m.Ready() || !m.Reached() {
			take()
			if m.Reached() {
				m.Resume()
			}
		}
		if !maps.Equal(known, truth) || m.Pending() > 1 {
			t.Errorf("seed %d: known is %v, want %v; %d pending", seed, known, truth, m.Pending())
		}
	}
}

// A merger that has read beyond a position can't stop there.
func TestMergerHoldTooLate(t *testing.T) {
	var log Log
	var cursor Cursor
	log.Open(&cursor)
	m := NewMerger(&cursor)
	position := log.End()
	log.Append(&Event{Kind: Added, Object: incarnation("a", "uid", 1)})
	log.Show()
	m.Merge(func(any) (types.NamespacedName, error) { return types.NamespacedName{Name: "a"}, nil })
	if m.Hold(position) {
		t.Error("held at a position that was passed")
	}
	if _, _, ok := m.Take(); !ok {
		t.Error("the event is not given out")
	}
}
