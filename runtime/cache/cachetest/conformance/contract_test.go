package conformance

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// contract is the comment of cache.Informer, sentence by sentence, and the cases
// that show it.
var contract = []struct {
	sentence string
	cases    []string
}{
	{"A handler is called with one event after the other, and never concurrently.",
		[]string{"I1 a handler is called with one event after the other"}},
	{"When it is called, the store and its indexes have that state or a later one.",
		[]string{"I1 a handler is called after the store and its indexes have changed", "P2 a handler finds the object of its event in the store"}},
	{"The old object of an update is the object with which the handler was last called for that key.",
		[]string{"I1 the old object of an update is the one that the handler got last"}},
	{"Handlers block neither each other nor the store.",
		[]string{"I1 a slow handler blocks neither the store nor another handler"}},

	{"The events of one object come in the order of the store's changes.",
		[]string{"I1 a handler is called with one event after the other"}},
	{"States that the informer itself has not seen have no event.",
		[]string{"P5 an object whose deletion and creation were missed is updated"}},
	{"After a gap between two watches, the informer lists.",
		[]string{"P1 after a relist the store is replaced first, then come deletions, then the others in list order"}},
	{"The handler is then called for each object that differs from the store, " +
		"or for all objects if HandlerOptions.Unchanged is set: deletions first, then the others in the order of the list.",
		[]string{
			"P1 after a relist the store is replaced first, then come deletions, then the others in list order",
			"I11 a relist delivers only changes to a handler that wants no resync",
			"I11 a relist delivers unchanged objects to handlers of an informer without resyncs",
		}},
	{"A deletion in the gap comes with the last known state.",
		[]string{"P1 after a relist the store is replaced first, then come deletions, then the others in list order"}},
	{"A deletion and a creation in the gap are one update, with another UID.",
		[]string{"P5 an object whose deletion and creation were missed is updated"}},

	{"A handler that joins late gets every object of the store as initial, and then every change since, none twice.",
		[]string{"I2 a late handler gets the existing objects, and then every change", "I13 a handler that is added before the start misses nothing"}},
	{"Later events are not initial.",
		[]string{"P6 only the first list is the initial one"}},

	{"With a resync period a handler gets every object as an update with itself, after all earlier changes of that object.",
		[]string{"P3 a resync is an update of every object with itself", "P3 a resync comes after the earlier events of the store"}},

	{"A handler that panics gets the next event after a second, unless HandlerOptions.OnPanic says otherwise.",
		[]string{"I6 a handler that panics goes on with the next event after a second", "I6 a handler that panics during the initial list gets in sync"}},

	{"Objects are shared by the store and all handlers: they must not be mutated.",
		[]string{"P2 a handler finds the object of its event in the store", "I14 an object that is mutated after an add is detected if enabled"}},

	{"An informer runs once.",
		[]string{"I7 an informer runs once"}},
	{"Handlers and indexes may be added before the start and while it runs, but not after it.",
		[]string{"I3 a stopped informer accepts no handler and no index"}},
	{"A transform and OnFailure may be set before the start only.",
		[]string{"I7 transform and watch error handler are set before the start, and the last one counts"}},
	{"An informer is in sync when the store holds the first list. It never is if it is stopped before.",
		[]string{"I9 an informer is in sync once its store holds the first list, and not if it is stopped before"}},
	{"A handler may be removed at any time, and is not called again after a call that is in progress.",
		[]string{"I4 a handler that was removed gets no more events, and may be removed again", "I4 shutting down a handler waits for its last call, if there was one"}},

	{"When its context ends, an informer sends no more requests.",
		[]string{"W8 an informer that is stopped before it starts makes no request", "I8 a run ends when the handlers have ended"}},
	{"Events that still wait for a handler are dropped.",
		[]string{"I8 the pending events of a handler are dropped at the stop, and the store keeps its objects"}},
	{"Run waits for handler calls in progress, and returns when every goroutine that it started has ended.",
		[]string{"I8 a run ends when the handlers have ended"}},
	{"The store keeps its objects.",
		[]string{"I8 the pending events of a handler are dropped at the stop, and the store keeps its objects"}},
}

// others is the part of the comment that is no guarantee about handlers.
const others = "Informer keeps a Store up to date with one resource of an API server, and delivers its changes to handlers. " +
	"Its methods are safe for concurrent use, also from within handlers. " +
	"# Guarantees for handlers # Shared objects # Start and stop"

// TestContract compares the comment of cache.Informer with the sentences that
// cases back: none may stand in only one of the two.
func TestContract(t *testing.T) {
	comment := strings.Join(strings.Fields(commentOf(t, "../../informer.go", "Informer")), " ")
	for _, c := range contract {
		before, after, found := strings.Cut(comment, c.sentence)
		if !found {
			t.Errorf("the comment does not say: %s", c.sentence)
			continue
		}
		comment = before + after
		for _, name := range c.cases {
			if !slices.ContainsFunc(cases, func(c testCase) bool { return c.name() == name }) {
				t.Errorf("there is no case %q", name)
			}
		}
	}
	if left := strings.Join(strings.Fields(comment), " "); left != others {
		t.Errorf("no case backs this part of the comment:\n%s\nwant only:\n%s", left, others)
	}
}

// commentOf returns the comment of a type.
func commentOf(t *testing.T, file, name string) string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, declaration := range parsed.Decls {
		if d, ok := declaration.(*ast.GenDecl); ok && d.Tok == token.TYPE && d.Specs[0].(*ast.TypeSpec).Name.Name == name {
			return d.Doc.Text()
		}
	}
	t.Fatalf("%s: there is no type %s", file, name)
	return ""
}
