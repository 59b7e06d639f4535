package cache

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// Lists are repeated more and more seldom as long as something is not readable.
func TestReread(t *testing.T) {
	var r reread
	rounds := func(watches int, readable bool) (lists []int) {
		for n := range watches {
			if !readable {
				r.unreadable()
			}
			if r.watched() {
				lists = append(lists, n)
				r.listing()
				if !readable {
					r.unreadable()
				}
				r.listed()
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

// Stop ends a look-up that waits for its answer, and none begins after it.
func TestLookupsStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		l := newLookups(t.Context(), func(ctx context.Context, _ types.NamespacedName) (finding, error) {
			asked++
			<-ctx.Done()
			return finding{exists: true}, nil
		}, func(delta) { t.Error("something was pushed") }, new(settings).jitter, true)
		key := types.NamespacedName{Name: "a"}
		l.add(key)
		time.Sleep(2 * firstLookup)
		synctest.Wait()
		if asked != 1 {
			t.Fatalf("%d objects were asked for, want 1", asked)
		}
		l.stop()
		l.add(key)
		time.Sleep(time.Hour)
		if asked != 1 {
			t.Error("an object was looked up after the end")
		}
	})
}
