package protocol

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// WL3: what happens while the initial events come is folded into them.
func TestInitialEvents(t *testing.T) {
	for _, test := range []struct{ name, events, want string }{
		{"nothing", "", ""},
		{"in order", "+a1 +b2", "a1 b2"},
		{"a change takes the place of the first state", "+a1 +b2 ~a3", "a3 b2"},
		{"an object that leaves", "+a1 +b2 -a3", "b2"},
		{"and comes back", "+a1 +b2 -a3 +a4", "b2 a4"},
		{"one that leaves without having come", "-a1 +b2", "b2"},
		{"a change of one that had not come", "~a1", "a1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			events := NewInitialEvents[string]()
			for _, e := range strings.Fields(test.events) {
				kind := map[byte]watch.EventType{'+': watch.Added, '~': watch.Modified, '-': watch.Deleted}[e[0]]
				events.Add(kind, types.NamespacedName{Namespace: "ns", Name: e[1:2]}, e[1:])
			}
			if got := strings.Join(events.Items(), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
