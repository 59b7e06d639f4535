package cache

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utildiff "k8s.io/apimachinery/pkg/util/diff"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// mutationDetectorVariable is the environment variable, client-go's, that
// switches on the search for mutated objects.
const mutationDetectorVariable = "KUBE_CACHE_MUTATION_DETECTOR"

const (
	mutationCheckPeriod = time.Second
	// mutationRetention limits how long an object is watched for mutations: to watch all objects
	// would double the memory. A handler that mutates does so at once.
	mutationRetention = 2 * time.Minute
)

// mutationDetection reports whether informers are to look for mutations.
func mutationDetection() bool {
	enabled, err := strconv.ParseBool(os.Getenv(mutationDetectorVariable))
	return err == nil && enabled
}

// mutationDetector keeps a deep copy of each object that entered the store, and
// panics when an object no longer equals its copy. It leaves out the objects that
// their readers write to, such as those with a resource.Quantity outside of a map.
type mutationDetector struct {
	name string

	mu      sync.Mutex
	watched []watchedObject
}

type watchedObject struct {
	shared any
	copied runtime.Object
	since  time.Time
}

func newMutationDetector(name string) *mutationDetector {
	return &mutationDetector{name: name}
}

func (d *mutationDetector) add(obj any) {
	shared, ok := obj.(runtime.Object)
	if !ok || !decoding.Readable(obj) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watched = append(d.watched, watchedObject{shared: obj, copied: shared.DeepCopyObject(), since: time.Now()})
}

// run compares until ctx ends, and once more then.
func (d *mutationDetector) run(ctx context.Context) {
	ticker := time.NewTicker(mutationCheckPeriod)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			d.check()
			return
		case <-ticker.C:
			d.check()
		}
	}
}

func (d *mutationDetector) check() {
	if err := d.compare(time.Now()); err != nil {
		panic(err)
	}
}

// compare returns an error if a watched object was mutated, and drops those that were
// watched long enough.
func (d *mutationDetector) compare(now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept := d.watched[:0]
	for _, w := range d.watched {
		if !reflect.DeepEqual(w.shared, w.copied) {
			key, _ := KeyOf(w.copied)
			return fmt.Errorf("informer %q: object %q of the cache was mutated:\n%s",
				d.name, keyString(key), utildiff.Diff(w.copied, w.shared))
		}
		if now.Sub(w.since) < mutationRetention {
			kept = append(kept, w)
		}
	}
	clear(d.watched[len(kept):])
	d.watched = kept
	return nil
}
