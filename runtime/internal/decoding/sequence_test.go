package decoding

import "testing"

// Each of several sources that wrap one another has its own value and excludes its own objects.
func TestSequence(t *testing.T) {
	var s Sequence
	if s.Kept("a") != nil || s.Excludes(1) {
		t.Errorf("empty: %v, %v", s.Kept("a"), s.Excludes(1))
	}
	s.Keep("a", "of a", func(obj any) bool { return obj == 1 })
	s.Keep("b", "of b", func(obj any) bool { return obj == 2 })
	if s.Kept("a") != "of a" || s.Kept("b") != "of b" {
		t.Errorf("kept %v, %v", s.Kept("a"), s.Kept("b"))
	}
	for obj, want := range map[any]bool{1: true, 2: true, 3: false} {
		if s.Excludes(obj) != want {
			t.Errorf("excludes %v: %v", obj, !want)
		}
	}
}
