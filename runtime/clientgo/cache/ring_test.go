package cache

import (
	"math/rand/v2"
	"testing"
)

func TestRingIsASlice(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var r ring[*int]
	var model []*int
	for step := range 20_000 {
		// Phases of growth and of decline, so that it resizes both ways.
		grows := (rnd.IntN(10) < 7) == (step/2000%2 == 0)
		if grows || len(model) == 0 {
			r.push(&step)
			model = append(model, &step)
		} else {
			if got, want := r.pop(), model[0]; got != want {
				t.Fatalf("step %d: popped %d, want %d", step, *got, *want)
			}
			model = model[1:]
		}
		if r.len() != len(model) || len(model) > 0 && *r.at(len(model) - 1) != model[len(model)-1] {
			t.Fatalf("step %d: %d items, want %d", step, r.len(), len(model))
		}
		held := 0
		for _, item := range r.slots {
			if item != nil {
				held++
			}
		}
		if held != len(model) {
			t.Fatalf("step %d: it holds %d items, want %d", step, held, len(model))
		}
		if n := len(r.slots); n > minimumSlots && n > 4*(len(model)+1) {
			t.Fatalf("step %d: %d slots for %d items", step, n, len(model))
		}
	}
}
