package cache

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/watch"
)

// WL3: what happens while the initial events come is folded into them.
func TestInitialEvents(t *testing.T) {
	for _, test := range []struct{ name, events, want string }{
		{"nothing", "", ""},
		{"in order", "+a1 +b2", "ns/a@1 ns/b@2"},
		{"a change takes the place of the first state", "+a1 +b2 ~a3", "ns/a@3 ns/b@2"},
		{"an object that leaves", "+a1 +b2 -a3", "ns/b@2"},
		{"and comes back", "+a1 +b2 -a3 +a4", "ns/b@2 ns/a@4"},
		{"one that leaves without having come", "-a1 +b2", "ns/b@2"},
		{"a change of one that had not come", "~a1", "ns/a@1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := newInitialEvents()
			for _, e := range strings.Fields(test.events) {
				kind := map[byte]watch.EventType{'+': watch.Added, '~': watch.Modified, '-': watch.Deleted}[e[0]]
				obj := newThing("ns", e[1:2], e[2:])
				key, _ := KeyOf(obj)
				events.add(kind, item{key: key, obj: obj})
			}
			var got []string
			for _, it := range events.items() {
				got = append(got, objectString(it.key, it.obj.(*thing)))
			}
			if got := strings.Join(got, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
