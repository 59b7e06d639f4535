package decoding

import "testing"

// Each of several sources that wrap one another has its own value and excludes its own objects.
func TestSequence(t *testing.T) {
	var s Sequence
	if s.Kept("a") != nil || s.Excludes(1) {
		t.Errorf("empty: %v, %v", s.Kept("a"), s.Excludes(1))
	}
	s.Keep("a", "of a", Part{Excludes: func(obj any) bool { return obj == 1 }, Changed: func() bool { return false }})
	changed := false
	s.Keep("b", "of b", Part{Excludes: func(obj any) bool { return obj == 2 }, Changed: func() bool { return changed }})
	if s.Changed() {
		t.Error("changed at once")
	}
	if changed = true; !s.Changed() {
		t.Error("not changed")
	}
	if s.Kept("a") != "of a" || s.Kept("b") != "of b" {
		t.Errorf("kept %v, %v", s.Kept("a"), s.Kept("b"))
	}
	for obj, want := range map[any]bool{1: true, 2: true, 3: false} {
		if s.Excludes(obj) != want {
			t.Errorf("excludes %v: %v", obj, !want)
		}
	}
}
