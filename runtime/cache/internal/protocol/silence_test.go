package protocol

import (
	"io"
	"testing"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// The last watches decide how long the next one lasts, and whether it may have been one from a future
// version.
func TestSilence(t *testing.T) {
	const least, idle = 5 * time.Minute, time.Minute
	var (
		silent = Ending{Err: failure.ErrWatchIdle}
		broken = Ending{Err: io.ErrUnexpectedEOF}
		empty  = Ending{}
		prompt = Ending{Events: 3, Flowed: 11 * time.Second}
		late   = Ending{Events: 3, Flowed: 9 * time.Second}
		stuck  = Ending{Err: failure.ErrWatchIdle, Events: 1, Flowed: time.Minute}
	)
	for _, test := range []struct {
		name             string
		ended            []Ending
		future, buffered bool
	}{
		{"the server closes it", []Ending{empty}, false, false},
		{"nothing comes", []Ending{silent}, true, true},
		{"nothing comes any more", []Ending{stuck}, false, false},
		{"nothing comes again, until the server closes it", []Ending{silent, empty}, true, true},
		{"nothing comes again, until it is cut", []Ending{silent, broken}, false, true},
		{"all comes at the end", []Ending{silent, late}, false, true},
		{"events come before the end", []Ending{silent, prompt}, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Silence
			var future bool
			for _, end := range test.ended {
				future = s.Ended(end)
			}
			if future != test.future {
				t.Errorf("from a future version: %v", future)
			}
			want := least
			if test.buffered {
				want = idle / 3
			}
			if got := s.WatchTimeout(least, idle); got != want {
				t.Errorf("next watch: %v, want %v", got, want)
			}
		})
	}
}

// A watch may repeat events at its begin, if the one before it was closed because it was silent.
func TestReplays(t *testing.T) {
	var s Silence
	if s.Replays(0) {
		t.Error("the first watch")
	}
	s.Ended(Ending{Err: failure.ErrWatchIdle, Events: 1, Flowed: time.Minute})
	if !s.Replays(0) || s.Replays(replayTime) {
		t.Error("a watch after a silent one")
	}
	s.Ended(Ending{})
	if s.Replays(0) {
		t.Error("a watch after one that the server has closed")
	}
}

// The interval of bookmarks that a silent watch may have held back is measured again.
func TestBookmarksAfterSilence(t *testing.T) {
	var s Silence
	for range knownBookmarks {
		s.Observe(time.Second)
	}
	s.Ended(Ending{Err: failure.ErrWatchIdle, Events: 1})
	if got := s.IdleTimeout(time.Hour); got != minimumIdleTimeout {
		t.Errorf("after a watch with events: %v", got)
	}
	s.Ended(Ending{Err: failure.ErrWatchIdle})
	if got := s.IdleTimeout(time.Hour); got != time.Hour {
		t.Errorf("after a watch without: %v", got)
	}
}
