package differential_test

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/watch"
)

// script has the events of a server and of the handlers of an informer.
type script struct {
	server serverKind
	// watchList reports whether the server has watch-lists.
	watchList bool
	steps     []step
}

// serverKind says which server a script is for.
type serverKind string

const (
	feedServer    serverKind = "feed"
	trackerServer serverKind = "tracker"
	apiServer     serverKind = "API"
)

var serverKinds = []serverKind{feedServer, feedServer, trackerServer, apiServer}

// stepKind says what a step does.
type stepKind string

const (
	// start runs the informer.
	start stepKind = "start"
	// write changes objects while the watch is open.
	write stepKind = "write"
	// cut ends the watch, and lets requests fail that follow.
	cut stepKind = "cut"
	// down lets every request fail until up.
	down stepKind = "down"
	up   stepKind = "up"
	// bookmark sends one.
	bookmark stepKind = "bookmark"
	// wait lets much time pass.
	wait stepKind = "wait"
	// add adds a handler, and remove removes one.
	add    stepKind = "add handler"
	remove stepKind = "remove handler"
	// uninstall takes the resource from the API, and install brings it back.
	uninstall stepKind = "uninstall"
	install   stepKind = "install"
	// restart lets the API start a new history.
	restart stepKind = "restart"
	// strange sends an event of an object of another type.
	strange stepKind = "strange object"
)

// step is one step of a script. It is complete in itself: a script without one of
// its steps is a script.
type step struct {
	kind stepKind
	// changes are the changes of a write, or the changes that happen unseen before an informer lists again
	// after a cut. whole makes them the whole list, in their order.
	changes []change
	whole   bool
	// fault is the end of the watch, or the response to each request.
	fault fault
	// failures are the responses to the next requests.
	failures []failure
	// version is the version of a bookmark, and of the lists from now on.
	version string
	// handler is which handler is removed.
	handler int
}

// change is a change of an object.
type change struct {
	event                      watch.EventType
	name, version, uid, labels string
}

// failure is the fault of some requests.
type failure struct {
	list  bool
	times int
	fault fault
}

func (s script) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "server %s", s.server)
	if s.watchList {
		b.WriteString(", with watch-lists")
	}
	for i, step := range s.steps {
		fmt.Fprintf(&b, "\n%3d %v", i, step)
	}
	return b.String()
}

func (s step) String() string {
	var b strings.Builder
	b.WriteString(string(s.kind))
	if s.fault.name != "" {
		fmt.Fprintf(&b, " by %s", s.fault.name)
	}
	if s.kind == remove {
		fmt.Fprintf(&b, " %d", s.handler)
	}
	if s.whole {
		b.WriteString(", the list is then")
	}
	for _, c := range s.changes {
		fmt.Fprintf(&b, "; %v", c)
	}
	for _, f := range s.failures {
		verb := "watches"
		if f.list {
			verb = "lists"
		}
		fmt.Fprintf(&b, "; then %d %s meet %s", f.times, verb, f.fault.name)
	}
	if s.version != "" {
		fmt.Fprintf(&b, "; at version %s", s.version)
	}
	return b.String()
}

func (c change) String() string {
	return fmt.Sprintf("%s %s@%s uid %q labels %q", c.event, c.name, c.version, c.uid, c.labels)
}

// author writes scripts.
type author struct {
	choices
	server  serverKind
	version func() string
	uid     func(name string) string
}

// newScript reads a script off choices.
func newScript(c choices) script {
	if len(c) == 0 {
		return script{server: feedServer}
	}
	a := &author{choices: c}
	a.server = pick(&a.choices, serverKinds)
	a.version, a.uid = a.someVersions(), a.someUIDs()
	s := script{server: a.server, watchList: a.server == apiServer || a.server == feedServer && a.oneIn(4)}
	began := a.of(4)
	for i := 0; len(a.choices) > 0 && i < 30; i++ {
		if i == began {
			s.steps = append(s.steps, step{kind: start})
		}
		s.steps = append(s.steps, a.step())
	}
	if a.server == apiServer && int(c[len(c)-1])%3 == 0 {
		// client-go does not get over it.
		s.steps = append(s.steps, step{kind: restart})
	}
	return s
}

// someVersions returns what gives objects their resourceVersions.
func (a *author) someVersions() func() string {
	last := 100
	growing := func() string { last++; return strconv.Itoa(last) }
	few := []string{"7", "8", "9", "10"}
	switch a.of(7) {
	case 0:
		return func() string { return "7" }
	case 1:
		return func() string { return "" }
	case 2:
		return func() string { last--; return strconv.Itoa(last) }
	case 3:
		return func() string { return pick(&a.choices, few) }
	case 4:
		some := []string{"", "3", "7", "12", "word", "other"}
		if a.server == trackerServer {
			some = some[:4] // its watches begin at numbers
		}
		return func() string { return pick(&a.choices, some) }
	default:
		return growing
	}
}

// someUIDs returns what gives objects their UIDs.
func (a *author) someUIDs() func(string) string {
	switch a.of(4) {
	case 0:
		return func(string) string { return "" }
	case 1:
		return func(string) string { return pick(&a.choices, []string{"", "u1", "u2"}) }
	default:
		return func(name string) string { return "u-" + name }
	}
}

func (a *author) step() step {
	switch n := a.of(32); {
	case n < 14:
		s := step{kind: write, changes: a.changes(4)}
		if a.oneIn(3) {
			s.version = a.version()
		}
		return s
	case n < 22:
		return a.cut()
	case n < 24:
		s := step{kind: down, fault: pick(&a.choices, faults)}
		if s.fault.name == expired.name {
			// client-go repeats watch-lists that have expired for ever, and at once.
			s.fault = refused
		}
		return s
	case n < 26:
		return step{kind: up}
	case n < 28:
		return step{kind: add}
	case n < 29:
		return step{kind: remove, handler: a.of(4)}
	case n < 30:
		return step{kind: bookmark, version: a.version()}
	case n < 31 && a.server == apiServer:
		return pick(&a.choices, []step{{kind: uninstall}, {kind: install}})
	case n < 31:
		return step{kind: strange, version: a.version(), changes: a.changes(1)}
	default:
		return step{kind: wait}
	}
}

func (a *author) cut() step {
	s := step{kind: cut, fault: pick(&a.choices, cuts)}
	if s.fault.relists || a.server == apiServer {
		s.changes = a.changes(3)
		s.version = a.version()
		s.whole = a.server == feedServer && a.oneIn(3)
	}
	for range a.of(3) {
		s.failures = append(s.failures, failure{list: a.of(2) == 0, times: 1 + a.of(3), fault: pick(&a.choices, faults)})
	}
	return s
}

var names = []string{"a", "b", "c", "d"}

func (a *author) changes(most int) []change {
	var all []change
	for range 1 + a.of(most) {
		c := change{
			event:   pick(&a.choices, []watch.EventType{watch.Added, watch.Modified, watch.Modified, watch.Deleted}),
			name:    pick(&a.choices, names),
			labels:  pick(&a.choices, []string{"", "x", "y", "xy"}),
			version: a.version(),
		}
		c.uid = a.uid(c.name)
		all = append(all, c)
		if a.oneIn(8) {
			all = append(all, c) // once more
		}
	}
	return all
}
