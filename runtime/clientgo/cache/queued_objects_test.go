package cache

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
)

func TestUnlistedInAQueueOfDeltas(t *testing.T) {
	for _, c := range []struct {
		items  string
		listed []string
		want   []DeletedFinalStateUnknown
	}{
		{"", nil, nil},
		{"+a ~a +b", nil, []DeletedFinalStateUnknown{{Key: "a", Obj: "~a"}, {Key: "b", Obj: "+b"}}},
		{"+b +a ~b", []string{"a"}, []DeletedFinalStateUnknown{{Key: "b", Obj: "~b"}}},
		{"+a -a", nil, nil},
		{"+a -a +a", nil, []DeletedFinalStateUnknown{{Key: "a", Obj: "+a"}}},
		{"+a", []string{"a", "b"}, nil},
	} {
		queued := newestQueued(queueOf(c.items))
		if diff := cmp.Diff(c.want, queued.unlisted(sets.New(c.listed...))); diff != "" {
			t.Errorf("queue %s, list %v (-want +got):\n%s", c.items, c.listed, diff)
		}
		if queued.has("a") != strings.Contains(c.items, "a") {
			t.Errorf("queue %s has a: %t", c.items, queued.has("a"))
		}
	}
}
