package factory

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sort"
	"time"

	"github.com/informer-gen/informer-gen/runtime/footprint"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// WithMemoryInterval makes the informers of the factory measure the memory of their objects by
// themselves, for Status.Memory: when they are in sync, and then every interval in which a
// twentieth of the objects has changed. Each takes one percent of a processor at the most. Zero
// or negative is never, the default: MeasureMemory does it when it is called.
func WithMemoryInterval(interval time.Duration) Option {
	return func(o *Options[reflect.Type]) { o.MemoryInterval = interval }
}

// MeasureMemory is Factory.MeasureMemory of a generated factory, or any other that has a
// Factory or a ResourceFactory in it. Possible errors: the same, and that it has none.
func MeasureMemory(ctx context.Context, factory interface{ Status() []Status }) error {
	m, ok := factory.(interface{ MeasureMemory(context.Context) error })
	if !ok {
		return fmt.Errorf("factory %T: can't measure memory: it has no MeasureMemory(context.Context) error", factory)
	}
	return m.MeasureMemory(ctx)
}

// MeasureMemory estimates how much memory the objects of each informer take, for Status.Memory,
// one informer after the other. It walks all objects: about a second for 50,000 of 10 KB.
// Concurrent calls share measurements. What informers have in common counts in each. Possible
// errors: the cause of ctx if it has ended, with the name of the informer.
func (r *registry[K]) MeasureMemory(ctx context.Context) error {
	members := r.all()
	for _, key := range sorted(members) {
		if err := members[key].measureMemory(ctx, key.String()); err != nil {
			return err
		}
	}
	return nil
}

func (m *member) measureMemory(ctx context.Context, name string) error {
	// Whatever its type is: with any, Core is false, but returns the informer.
	if informer, _ := clientgocache.Core[any](m.informer); informer != nil {
		_, err := informer.MeasureMemory(ctx)
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("informer %q: memory of its objects: %w", name, context.Cause(ctx))
	}
	report := footprint.Of(slices.Values(m.informer.GetStore().List()))
	report.Fields = report.Fields[:min(len(report.Fields), fieldsInStatus)]
	m.memory.Store(&report)
	return nil
}

// fieldsInStatus is how many fields a status has, as in runtime/cache.
const fieldsInStatus = 10

// sorted returns the keys of members, in the order of their names.
func sorted[K key](members map[informerKey[K]]*member) []informerKey[K] {
	keys := make([]informerKey[K], 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	// Not slices.SortFunc, whose code for another type would be in every program.
	sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
	return keys
}
