package protocol

import (
	"slices"
	"testing"
)

// Lists are repeated more and more seldom as long as something is not readable.
func TestReread(t *testing.T) {
	var r Reread
	rounds := func(watches int, readable bool) (lists []int) {
		for n := range watches {
			if !readable {
				r.Unreadable()
			}
			if r.Watched() {
				lists = append(lists, n)
				r.Listing()
				if !readable {
					r.Unreadable()
				}
				r.Listed()
			}
		}
		return lists
	}
	if got, want := rounds(30, false), []int{0, 1, 3, 7, 15, 23}; !slices.Equal(got, want) {
		t.Errorf("lists after watches %v, want %v", got, want)
	}
	if got, want := rounds(30, true), []int{1}; !slices.Equal(got, want) {
		t.Errorf("when all is readable again: lists after watches %v, want %v", got, want)
	}
	if got, want := rounds(3, false), []int{0, 1}; !slices.Equal(got, want) {
		t.Errorf("when it is not, later: lists after watches %v, want %v", got, want)
	}
}
