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
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
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
	// states are by objectkey.String. Objects whose name is not known have one together, "".
	states map[string]state
	// visits counts the times that all objects were visited.
	visits int
}

// State is a state of an object that is left out.
type State struct {
	Why string
	// Sent is the object's metadata; nil if it is not known.
	Sent *protocol.Sent
}

type state struct {
	State
	// by is the list and watch that has left the object out.
	by any
	// visit is when the object was last left out.
	visit int
}

// Explain returns the key of the object that an error leaves out, empty if it is not known, and
// the reason. Neither refers to memory of the error.
func Explain(err error) (key types.NamespacedName, why string) {
	name, text := "", err.Error()
	if of := (*failure.ObjectError)(nil); errors.As(err, &of) && of.Object != "" {
		name = of.Object
		text = strings.Replace(text, fmt.Sprintf("object %q: ", name), "", 1)
	}
	text, _, _ = strings.Cut(text, "\n")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + " …"
	}
	return objectkey.Parse(strings.Clone(name)), strings.Clone(text)
}

// Add notes that an object is left out by a list and watch, nil if there is only one.
func (s *Set) Add(by any, key types.NamespacedName, left State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.states == nil {
		s.states = map[string]state{}
	}
	s.states[objectkey.String(key)] = state{left, by, s.visits}
	s.some.Store(true)
}

// Remove notes that an object was taken, or is gone.
func (s *Set) Remove(key types.NamespacedName) {
	if !s.some.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.states, objectkey.String(key))
	s.some.Store(len(s.states) > 0)
}

// BeginVisit notes that objects are about to be visited.
func (s *Set) BeginVisit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits++
}

// EndVisit removes what the visit has not left out again, of those whose list and watch was visited.
func (s *Set) EndVisit(visited func(by any) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.states, func(_ string, r state) bool { return r.visit < s.visits && visited(r.by) })
	s.some.Store(len(s.states) > 0)
}

// Any reports whether there are any.
func (s *Set) Any() bool { return s.some.Load() }

// State returns the state of an object that is left out, and whether it is.
func (s *Set) State(key types.NamespacedName) (left State, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, is := s.states[objectkey.String(key)]
	return found.State, is
}

// Each returns the reasons for each list and watch, by name; nil if there are none.
func (s *Set) Each() map[any]map[string]string {
	if !s.some.Load() {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	each := map[any]map[string]string{}
	for name, r := range s.states {
		if each[r.by] == nil {
			each[r.by] = map[string]string{}
		}
		each[r.by][name] = r.Why
	}
	return each
}

// Reasons returns the number of objects, and the reasons of the first hundred by name.
func (s *Set) Reasons() (count int, named map[string]string) {
	if !s.some.Load() {
		return 0, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	named = map[string]string{}
	for _, name := range first(maxNames, s.states) {
		named[name] = s.states[name].Why
	}
	return len(s.states), named
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
