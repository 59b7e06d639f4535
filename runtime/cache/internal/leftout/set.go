// Package leftout keeps which objects an informer leaves out, and why: objects whose latest
// state is not in the store, or not in one of its indexes.
package leftout

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
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
)

const (
	// maxNames limits how many objects are named.
	maxNames = 100
	// maxReason is the length of a reason: errors may quote objects, or have a stack.
	maxReason = 300
)

// Set has the objects that are left out now. An object is removed when a later state of it is
// taken, or when a visit of all objects, such as a list, does not leave it out again. The zero
// value is empty. It is safe for concurrent use.
type Set struct {
	// some is false while there are none, so that taking an object costs next to nothing.
	some atomic.Bool

	mu sync.Mutex
	// reasons are by objectkey.String. Objects whose name is not known have one together, "".
	reasons map[string]reason
	// visits counts the times that all objects were visited.
	visits int
}

type reason struct {
	text string
	// visit is when the object was last left out.
	visit int
}

// Add notes that the object of an error is left out.
func (s *Set) Add(err error) {
	name, text := "", err.Error()
	if of := (*failure.ObjectError)(nil); errors.As(err, &of) && of.Object != "" {
		name = of.Object
		text = strings.Replace(text, fmt.Sprintf("object %q: ", name), "", 1)
	}
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + " …"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reasons == nil {
		s.reasons = map[string]reason{}
	}
	s.reasons[name] = reason{strings.Clone(text), s.visits}
	s.some.Store(true)
}

// Remove notes that an object was taken, or is gone.
func (s *Set) Remove(object types.NamespacedName) {
	if !s.some.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.reasons, objectkey.String(object))
	s.some.Store(len(s.reasons) > 0)
}

// BeginVisit notes that all objects are about to be visited.
func (s *Set) BeginVisit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits++
}

// EndVisit removes what the visit has not left out again.
func (s *Set) EndVisit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.reasons, func(_ string, r reason) bool { return r.visit < s.visits })
	s.some.Store(len(s.reasons) > 0)
}

// Reasons returns the number of objects, and the reasons of the first hundred by name.
func (s *Set) Reasons() (count int, named map[string]string) {
	if !s.some.Load() {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	named = map[string]string{}
	for _, name := range first(maxNames, s.reasons) {
		named[name] = s.reasons[name].text
	}
	return len(s.reasons), named
}

// Join returns the first hundred of two sets of reasons by name. A name in both keeps its
// reason of the first set.
func Join(a, b map[string]string) map[string]string {
	all := maps.Clone(b)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, a)
	joined := map[string]string{}
	for _, name := range first(maxNames, all) {
		joined[name] = all[name]
	}
	return joined
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
