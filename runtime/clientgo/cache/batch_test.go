package cache

import (
	"strings"
	"testing"
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
