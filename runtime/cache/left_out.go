package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

const (
	// maxLeftOutNames limits how many objects Status.LeftOutObjects names.
	maxLeftOutNames = 100
	// maxReason is the length of a reason: errors may quote objects, or have a stack.
	maxReason = 300
)

// leftOut holds the objects that are left out now, and why: their latest state is not in the
// store, or not in one of its indexes.
type leftOut struct {
	// some is false while there are none, so that taking an object costs next to nothing.
	some atomic.Bool

	mu sync.Mutex
	// reasons are by keyString. Objects whose name is not known have one together, "".
	reasons map[string]reason
	// visits counts the times that all objects were visited, as by a list.
	visits int
}

type reason struct {
	text string
	// visit is when the object was last left out.
	visit int
}

// add notes that the object of an error is left out.
func (l *leftOut) add(err error) {
	name, text := "", err.Error()
	if of := (*failure.ObjectError)(nil); errors.As(err, &of) && of.Object != "" {
		name = of.Object
		text = strings.Replace(text, fmt.Sprintf("object %q: ", name), "", 1)
	}
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + " …"
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.reasons == nil {
		l.reasons = map[string]reason{}
	}
	l.reasons[name] = reason{strings.Clone(text), l.visits}
	l.some.Store(true)
}

// remove notes that an object was taken, or is gone.
func (l *leftOut) remove(key types.NamespacedName) {
	if !l.some.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.reasons, keyString(key))
	l.some.Store(len(l.reasons) > 0)
}

// beginVisit notes that all objects are about to be visited.
func (l *leftOut) beginVisit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.visits++
}

// endVisit removes what the visit has not left out again.
func (l *leftOut) endVisit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	maps.DeleteFunc(l.reasons, func(_ string, r reason) bool { return r.visit < l.visits })
	l.some.Store(len(l.reasons) > 0)
}

// describe adds the objects to a status.
func (l *leftOut) describe(s *Status) {
	if !l.some.Load() {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	named := map[string]string{}
	for _, name := range first(maxLeftOutNames, l.reasons) {
		named[name] = l.reasons[name].text
	}
	s.leaveOut(len(l.reasons), named)
}

// leaveOut adds objects that are left out, some of them by name.
func (s *Status) leaveOut(count int, named map[string]string) {
	if count == 0 {
		return
	}
	all := maps.Clone(named)
	maps.Copy(all, s.LeftOutObjects)
	s.LeftOut += count
	s.LeftOutObjects = map[string]string{}
	for _, name := range first(maxLeftOutNames, all) {
		s.LeftOutObjects[name] = all[name]
	}
}

// first returns the first n keys of a map, in order.
func first[V any](n int, of map[string]V) (keys []string) {
	for key := range of {
		at, _ := slices.BinarySearch(keys, key)
		if at < n {
			keys = slices.Insert(keys, at, key)
			keys = keys[:min(len(keys), n)]
		}
	}
	return keys
}
