package protocol

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// What each event does to the time that is left for the closing bookmark: "+" adds to it, and
// "=" is the rest.
func TestInitialLimit(t *testing.T) {
	type event struct {
		kind  watch.EventType
		first bool
	}
	object, again := event{watch.Added, true}, event{watch.Added, false}
	unknown, change := event{watch.Modified, true}, event{watch.Modified, false}
	deletion, bookmark := event{watch.Deleted, true}, event{watch.Bookmark, true}
	for _, test := range []struct {
		name    string
		timeout time.Duration
		events  []event
		want    string
	}{
		{"objects add time", 20 * time.Second, []event{object, object, object}, "+100ms +100ms +100ms"},
		{"a change of one is the end", 20 * time.Second, []event{object, change, object, change}, "+100ms =20s - -"},
		{"and so is one that is sent again", 20 * time.Second, []event{object, again, object}, "+100ms =20s -"},
		{"a change of an object that was not sent", 20 * time.Second, []event{unknown, object}, "=20s -"},
		{"and a deletion", 20 * time.Second, []event{deletion, object}, "=20s -"},
		{"a bookmark is due at once", 20 * time.Second, []event{object, bookmark, object, change, bookmark}, "+100ms =1s - - -"},
		{"also after a change", 20 * time.Second, []event{change, bookmark}, "=20s =1s"},
		{"and before any object", 20 * time.Second, []event{bookmark}, "=1s"},
		{"no later than the timeout", 10 * time.Millisecond, []event{bookmark}, "=10ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			limit := InitialLimit{Timeout: test.timeout}
			var got []string
			for _, e := range test.events {
				switch a := limit.Arrived(e.kind, e.first); {
				case a.Last > 0:
					got = append(got, fmt.Sprint("=", a.Last))
					if !errors.Is(a.Err, failure.ErrBookmarkMissing) {
						t.Errorf("error %v", a.Err)
					}
				case a.Adds > 0:
					got = append(got, fmt.Sprint("+", a.Adds))
				default:
					got = append(got, "-")
				}
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}
