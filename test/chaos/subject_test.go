package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// subject is an informer under test, of whatever type.
type subject interface {
	fmt.Stringer
	of() resource
	join(m mode, stays bool, calm <-chan struct{}, random *rand.Rand) error
	part(random *rand.Rand) error
	addIndex() error
	observe()
	status() cache.Status
	// disagreements are where the server, the store, its indexes and the handlers
	// differ, which time may mend.
	disagreements(served []unstructured.Unstructured) []string
	// told has what nothing can mend.
	told() told
}

// follower is a subject.
type follower[T runtime.Object] struct {
	name string
	resource
	// namespace is the only one that it follows, or empty.
	namespace string
	core      *cache.Informer[T]
	// clientgo is the informer under client-go's interface; nil if it is used
	// through the core's only.
	clientgo toolscache.SharedIndexInformer

	mu      sync.Mutex
	members []*member
	joined  int
	indexes int
	gone    []*mirror
	// seen are the versions that the store had, and latest its own.
	seen     map[types.NamespacedName]uint64
	latest   uint64
	backward []string
}

// member is a handler of a subject.
type member struct {
	*mirror
	// stays reports whether it can't be asked to part.
	stays bool
	// leave takes it out of the informer.
	leave func() error
	// removed is why the informer has removed it; nil if it can't.
	removed func() error
}

func follow[T runtime.Object](name string, r resource, informer *cache.Informer[T]) *follower[T] {
	return &follower[T]{name: name, resource: r, core: informer, seen: map[types.NamespacedName]uint64{}}
}

func followClientgo[T runtime.Object](name string, r resource, informer toolscache.SharedIndexInformer) *follower[T] {
	core, ok := clientgocache.Core[T](informer)
	if !ok {
		panic(fmt.Sprintf("%s: no core below %T", name, informer))
	}
	f := follow(name, r, core)
	f.clientgo = informer
	return f
}

func (f *follower[T]) String() string       { return f.name }
func (f *follower[T]) of() resource         { return f.resource }
func (f *follower[T]) status() cache.Status { return f.core.Status() }

// join adds a handler. One that does not stay may be asked to part.
func (f *follower[T]) join(m mode, stays bool, calm <-chan struct{}, random *rand.Rand) error {
	f.mu.Lock()
	f.joined++
	name := fmt.Sprintf("%s, handler %d, %s", f.name, f.joined, m.name)
	f.mu.Unlock()
	var work func()
	if m.work != nil {
		work = m.work(calm, rand.New(rand.NewPCG(random.Uint64(), 0)))
	}
	added := &member{mirror: newMirror(name, work), stays: stays}
	if err := f.add(m, added, random.IntN(2) == 0); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.members = append(f.members, added)
	return nil
}

// add adds a handler to the core or to the compatibility layer.
func (f *follower[T]) add(m mode, added *member, core bool) error {
	if f.clientgo != nil && !m.core && !core {
		handle, err := f.clientgo.AddEventHandlerWithResyncPeriod(clientgoHandler{added.mirror}, m.options.Resync)
		if err != nil {
			return err
		}
		added.removed = func() error { return nil }
		added.leave = func() error {
			added.mirror.leave(false)
			return f.clientgo.RemoveEventHandler(handle)
		}
		return nil
	}
	options := m.options
	options.Name = added.name
	var handler cache.Handler[T] = coreHandler[T]{added.mirror}
	if m.batches {
		handler = cache.InBatches(coreHandler[T]{added.mirror}.handle)
	}
	ctx, cancel := context.WithCancel(context.Background())
	registration, err := f.core.AddHandlerContext(ctx, handler, options)
	if err != nil {
		cancel()
		return err
	}
	added.removed = registration.Err
	added.leave = func() error { cancel(); return nil }
	go func() {
		<-registration.Done()
		added.mirror.leave(true)
	}()
	return nil
}

// part lets one of the handlers leave that do not stay.
func (f *follower[T]) part(random *rand.Rand) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var guests []int
	for i, m := range f.members {
		if !m.stays {
			guests = append(guests, i)
		}
	}
	if len(guests) == 0 {
		return nil
	}
	i := guests[random.IntN(len(guests))]
	leaving := f.members[i]
	f.members = append(f.members[:i], f.members[i+1:]...)
	f.gone = append(f.gone, leaving.mirror)
	return leaving.leave()
}

func (f *follower[T]) addIndex() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.indexes++
	name := fmt.Sprint("index ", f.indexes)
	shard := func(obj T) string { return any(obj).(object).GetLabels()[shardLabel] }
	if f.clientgo != nil && f.indexes%2 == 0 {
		return f.clientgo.AddIndexers(toolscache.Indexers{name: func(obj any) ([]string, error) {
			return []string{shard(obj.(T)), "any"}, nil
		}})
	}
	return f.core.AddIndexes(cache.Index[T]{Name: name, Value: shard})
}

// observe wants no resourceVersion of the store to go back.
func (f *follower[T]) observe() {
	latest, objects := number(f.core.Store().ResourceVersion()), f.contents()
	f.mu.Lock()
	defer f.mu.Unlock()
	if latest < f.latest {
		f.backward = append(f.backward, fmt.Sprintf("%s: store goes back from %d to %d", f.name, f.latest, latest))
	}
	f.latest = latest
	for key, obj := range objects {
		version := versionOf(obj)
		if version < f.seen[key] {
			f.backward = append(f.backward, fmt.Sprintf("%s: %v in the store goes back from %d to %d", f.name, key, f.seen[key], version))
		}
		f.seen[key] = version
	}
}

func (f *follower[T]) contents() map[types.NamespacedName]object {
	return byKey(f.core.Store().All())
}

// told has the views of all handlers of a subject.
type told struct {
	faults           []string
	events, handlers int
}

func (f *follower[T]) told() told {
	f.mu.Lock()
	defer f.mu.Unlock()
	mirrors := f.gone
	for _, m := range f.members {
		mirrors = append(mirrors, m.mirror)
	}
	all := told{faults: f.backward, handlers: len(mirrors)}
	for _, m := range mirrors {
		m.mu.Lock()
		all.faults, all.events = append(all.faults, m.faults...), all.events+m.events
		m.mu.Unlock()
	}
	return all
}

// visit runs an informer for a while, and wants it to end when it is told to.
func visit[T runtime.Object](ctx context.Context, f *follower[T], stay time.Duration, random *rand.Rand) error {
	running, stop := context.WithTimeout(ctx, stay)
	defer stop()
	for range 2 {
		if err := f.join(modes[random.IntN(4)], true, running.Done(), random); err != nil {
			return err
		}
	}
	if err := f.core.Run(running); err != nil {
		return err
	}
	if faults := f.told().faults; len(faults) > 0 {
		return errors.New(strings.Join(faults, "\n"))
	}
	return nil
}
