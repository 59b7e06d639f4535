package cache

import (
	"iter"
	"runtime"
	"strconv"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/eventlog"
)

// announcing is an observer at each of whose calls another goroutine looks at the store.
type announcing struct {
	t       *testing.T
	store   *Store[*thing]
	applied bool
	seen    []<-chan int
}

func (o *announcing) applying([]delta)                                     { o.applied = true }
func (o *announcing) emit(eventlog.Event)                                  { o.look() }
func (o *announcing) relisted()                                            { o.look() }
func (o *announcing) settled(*part)                                        { o.look() }
func (o *announcing) committed()                                           { o.look() }
func (o *announcing) wanted() wanted                                       { return wanted{changes: true, unchanged: true} }
func (o *announcing) stage(wanted, *cause.Cause, iter.Seq[eventlog.Event]) {}

// look lets another goroutine read the number of objects now, or wait for it.
func (o *announcing) look() {
	if !o.applied {
		o.t.Error("changes are announced before they are counted")
	}
	seen := make(chan int, 1)
	go func() { seen <- o.store.Len() }()
	for range 1000 {
		if runtime.Gosched(); len(seen) > 0 {
			break
		}
	}
	o.seen = append(o.seen, seen)
}

// Whoever learns of a change while the store is still locked reads no number of objects of
// before the change.
func TestLenOfAnnouncedChanges(t *testing.T) {
	event := func(kind deltaKind, n int) delta {
		obj := newThing("ns", strconv.Itoa(n), "9")
		key, _ := KeyOf(obj)
		return delta{kind: kind, key: key, obj: obj, resourceVersion: "9"}
	}
	for name, test := range map[string]struct {
		batch []delta
		want  int
	}{
		"first list":        {listed(numbered(3, "2")), 3},
		"additions":         {[]delta{event(set, 10), event(set, 11)}, 3},
		"deletion":          {[]delta{event(deleted, 0)}, 0},
		"there and gone":    {[]delta{event(set, 10), event(deleted, 10)}, 1},
		"list without some": {listed(numbered(0, "2")), 0},
	} {
		t.Run(name, func(t *testing.T) {
			store := newThingStore(t, numbered(1, "1"))
			o := &announcing{t: t, store: store.Store}
			store.core.commit(test.batch, o)
			if len(o.seen) == 0 {
				t.Error("nothing was announced")
			}
			for at, seen := range o.seen {
				if got := <-seen; got != test.want {
					t.Errorf("announcement %d: %d objects, want %d", at, got, test.want)
				}
			}
		})
	}
}
