// Package mutation finds objects of a store that were mutated, like client-go's mutation detector.
package mutation

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

	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// variable is client-go's environment variable that enables the search for mutated objects.
const variable = "KUBE_CACHE_MUTATION_DETECTOR"

const (
	checkPeriod = time.Second
	// retention limits how long an object is watched for mutations, since copies of all objects would
	// double the memory. A handler that mutates objects does so at once.
	retention = 2 * time.Minute
)

// Enabled reports whether informers must look for mutations.
func Enabled() bool {
	enabled, err := strconv.ParseBool(os.Getenv(variable))
	return err == nil && enabled
}

// Detector keeps a deep copy of each object that entered the store, and panics when an object no longer
// equals its copy. It leaves out objects that their readers write to, such as objects with a
// resource.Quantity outside of a map.
type Detector struct {
	informer func() string

	mu      sync.Mutex
	watched []watchedObject
}

type watchedObject struct {
	shared any
	copied runtime.Object
	since  time.Time
}

// New returns the detector of an informer. informer returns the informer's name.
func New(informer func() string) *Detector { return &Detector{informer: informer} }

// Add starts to watch an object that is about to be shared.
func (d *Detector) Add(obj any) {
	shared, ok := obj.(runtime.Object)
	if !ok || !decoding.Readable(obj) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watched = append(d.watched, watchedObject{shared: obj, copied: shared.DeepCopyObject(), since: time.Now()})
}

// Run compares regularly until ctx ends, and then once more.
func (d *Detector) Run(ctx context.Context) {
	ticker := time.NewTicker(checkPeriod)
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

func (d *Detector) check() {
	if err := d.Compare(time.Now()); err != nil {
		panic(err)
	}
}

// Compare returns an error if a watched object was mutated. It drops objects that were watched long enough.
func (d *Detector) Compare(now time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	kept := d.watched[:0]
	for _, w := range d.watched {
		if !reflect.DeepEqual(w.shared, w.copied) {
			of, _ := objectkey.Of(w.copied)
			return fmt.Errorf("informer %q: object %q of the cache was mutated:\n%s",
				d.informer(), objectkey.String(of), utildiff.Diff(w.copied, w.shared))
		}
		if now.Sub(w.since) < retention {
			kept = append(kept, w)
		}
	}
	clear(d.watched[len(kept):])
	d.watched = kept
	return nil
}
