package main

import "testing"

// A heap is collected at the size of a small one, and a larger one when it has grown by 70 %.
func TestGCPercent(t *testing.T) {
	for live, want := range map[uint64]int{0: 900, 1 << 20: 900, 2 << 20: 400, 4 << 20: 150, 8 << 20: growthPercent, 1 << 40: growthPercent} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d bytes in use: %d %%, want %d", live, got, want)
		}
	}
}
