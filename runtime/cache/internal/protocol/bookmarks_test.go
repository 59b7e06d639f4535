package protocol

import (
	"testing"
	"time"
)

func TestBookmarkInterval(t *testing.T) {
	const fallback = 4 * time.Minute
	for _, test := range []struct {
		name      string
		intervals []time.Duration
		want      time.Duration
	}{
		{"nothing is known", nil, fallback},
		{"two intervals may be chance", []time.Duration{time.Minute, time.Minute}, fallback},
		{"three missing ones are enough", []time.Duration{time.Minute, 50 * time.Second, time.Minute}, 3 * time.Minute},
		{"the longest interval counts", []time.Duration{time.Second, 20 * time.Second, time.Second}, time.Minute},
		{"bookmarks may be late", []time.Duration{time.Second, time.Second, time.Second}, minimumIdleTimeout},
		{"no longer than the option says", []time.Duration{time.Hour, time.Hour, time.Hour}, fallback},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b BookmarkInterval
			for _, interval := range test.intervals {
				b.Observe(interval)
			}
			if got := b.IdleTimeout(fallback); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
