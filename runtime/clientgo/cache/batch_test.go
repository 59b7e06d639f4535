package cache

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
)

var deltaTypes = map[byte]DeltaType{
	'+': Added, '~': Updated, '-': Deleted, '=': Replaced, 's': Sync,
	'A': ReplacedAll, 'S': SyncAll, 'B': Bookmark,
}

// queueOf makes deltas of words like +a, an Added delta of the key a.
func queueOf(words string) *ring[keyedDelta] {
	items := &ring[keyedDelta]{}
	for word := range strings.FieldsSeq(words) {
		items.push(keyedDelta{Delta: Delta{Type: deltaTypes[word[0]], Object: word}, key: word[1:]})
	}
	return items
}

func TestBatchLength(t *testing.T) {
	for _, c := range []struct {
		items string
		limit int
		want  int
	}{
		{"+a", 1000, 1},
		{"+a +b -c =d sf ~g", 1000, 6},
		{"+a +b +c", 2, 2},
		{"+a +b", 1, 1},
		{"+a +b ~a +c", 1000, 2},
		{"+a ~a", 1000, 1},
		{"A +a", 1000, 1},
		{"S +a", 1000, 1},
		{"B B", 1000, 1},
		{"+a +b A +c", 1000, 2},
		{"+a B", 1000, 1},
	} {
		if got := batchLength(queueOf(c.items), c.limit); got != c.want {
			t.Errorf("batchLength(%s, %d) = %d, want %d", c.items, c.limit, got, c.want)
		}
	}
}

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
