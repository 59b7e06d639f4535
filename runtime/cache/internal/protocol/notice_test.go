package protocol

import (
	"fmt"
	"io"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func TestNoticeOf(t *testing.T) {
	for _, test := range []struct {
		name        string
		err         error
		phase, next Phase
		want        Notice
	}{
		{"a silent watch", failure.ErrWatchIdle, Watching, Watching, Notice{4, "Watch is silent, opening it again", false, false, false}},
		{"a watch that was closed at once", failure.ErrWatchTooShort, Watching, Watching, Notice{4, "Watch was closed, opening it again", false, false, false}},
		{"a watch that was cut", io.ErrUnexpectedEOF, Watching, Watching, Notice{2, "Watch was cut, opening it again", true, false, false}},
		{"a watch after which a list shows more", failure.ErrUndecodable, Watching, Listing, Notice{2, "Listing again", false, false, false}},
		{"a watch of objects that are selected no more", failure.ErrSelectionChanged, Watching, Streaming, Notice{2, "Listing again", false, false, false}},
		{"a watch-list without its bookmark", failure.ErrBookmarkMissing, Streaming, Listing, Notice{0, "Watch-list given up for good, listing instead", true, false, true}},
		{"a watch-list before a list", io.ErrUnexpectedEOF, Streaming, Listing, Notice{2, "Watch-list failed, listing instead", false, false, true}},
		{"a watch-list that can't be decoded", failure.ErrUndecodable, Streaming, Listing, Notice{2, "Watch-list failed, listing instead", false, false, true}},
		{"a watch-list before another one", io.ErrUnexpectedEOF, Streaming, Streaming, Notice{2, "Watch-list failed, trying again", true, true, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := NoticeOf(fmt.Errorf("watch: %w", test.err), test.phase, test.next); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}
