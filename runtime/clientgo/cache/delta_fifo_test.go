package cache

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
)

// deltasOf makes deltas of one object of words like +1, and -!1, which is a
// deletion with a tombstone.
func deltasOf(words string) Deltas {
	var deltas Deltas
	for word := range strings.FieldsSeq(words) {
		d := Delta{Type: deltaTypes[word[0]], Object: word[1:]}
		if obj, ok := strings.CutPrefix(word[1:], "!"); ok {
			d.Object = DeletedFinalStateUnknown{Key: "key", Obj: obj}
		}
		deltas = append(deltas, d)
	}
	return deltas
}

func TestAppendDelta(t *testing.T) {
	for _, c := range []struct{ name, deltas, appended, want string }{
		{"the first", "", "+1", "+1"},
		{"an update", "+1", "~2", "+1 ~2"},
		{"the same again", "~1", "~1", "~1 ~1"},
		{"a deletion", "+1", "-1", "+1 -1"},
		{"the older deletion stays", "-1", "-2", "-1"},
		{"and does not give way to a tombstone", "-1", "-!2", "-1"},
		{"a tombstone gives way", "+1 -!1", "-2", "+1 -2"},
		{"also to another one", "-!1", "-!2", "-!2"},
		{"a new object after a deletion", "-1", "+2", "-1 +2"},
	} {
		got := appendDelta(deltasOf(c.deltas), deltasOf(c.appended)[0])
		if diff := cmp.Diff(deltasOf(c.want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestUnlistedDeltas(t *testing.T) {
	for deltas, want := range map[string]any{"+1": "1", "+1 ~2": "2", "-3": "3", "+1 -!4": "4"} {
		queued := map[string]Deltas{"listed": deltasOf("+1"), "other": deltasOf(deltas)}
		got := unlistedDeltas(queued, sets.New("listed"))
		if diff := cmp.Diff([]DeletedFinalStateUnknown{{Key: "other", Obj: want}}, got); diff != "" {
			t.Errorf("of %s (-want +got):\n%s", deltas, diff)
		}
	}
}
