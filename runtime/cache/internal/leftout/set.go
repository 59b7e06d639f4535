// Package leftout keeps the objects that an informer leaves out, and the reasons: the latest state of such
// an object is not in the store, or not in one of its indexes.
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
	// maxNames limits the number of objects in Reasons and Join.
	maxNames = 100
	// maxReason limits the bytes of a reason: errors may quote objects, or have a stack.
	maxReason = 300
)

// Set has the objects that are left out now. An object is removed when the store takes a later state of it,
// or when a visit of all objects, such as a list, does not leave it out again. The zero value is empty. A
// Set is safe for concurrent use.
type Set struct {
	// some is false while the set is empty, so that taking an object costs next to nothing.
	some atomic.Bool

	mu sync.Mutex
	// states has the state of each object, by objectkey.String. Objects without a known name share the key
	// "".
	states map[string]state
	// visits counts the visits of all objects.
	visits int
}

// State is the state of an object that is left out.
type State struct {
	Why string
	// Sent is the object's metadata, or nil if they are not known.
	Sent *protocol.Sent
}

type state struct {
	State
	// by is the list and watch that has left the object out, or nil if the informer has only one.
	by any
	// visit is the number of the visit in which the object was last left out.
	visit int
}

// Explain returns the key of the object that an error is about, and the reason why the object is left out.
// The key is empty if the error names no object. Neither refers to memory of the error.
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

// Add notes that a list and watch leaves an object out. by is nil if the informer has only one.
func (s *Set) Add(by any, key types.NamespacedName, left State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.states == nil {
		s.states = map[string]state{}
	}
	s.states[objectkey.String(key)] = state{left, by, s.visits}
	s.some.Store(true)
}

// Remove notes that the store took an object, or that the object is gone.
func (s *Set) Remove(key types.NamespacedName) {
	if !s.some.Load() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.states, objectkey.String(key))
	s.some.Store(len(s.states) > 0)
}

// BeginVisit begins a visit of objects.
func (s *Set) BeginVisit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.visits++
}

// EndVisit removes the objects that the visit has not left out again, if their list and watch was visited.
func (s *Set) EndVisit(visited func(by any) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.states, func(_ string, r state) bool { return r.visit < s.visits && visited(r.by) })
	s.some.Store(len(s.states) > 0)
}

// Any reports whether any object is left out.
func (s *Set) Any() bool { return s.some.Load() }

// State returns the state of an object that is left out. is reports whether the object is left out.
func (s *Set) State(key types.NamespacedName) (left State, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, is := s.states[objectkey.String(key)]
	return found.State, is
}

// Each returns the reasons for each list and watch, by name. It is nil if no object is left out.
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

// Reasons returns the number of objects, and the reasons of the first hundred objects by name.
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

// Join returns the first hundred reasons of two sets, by name. A name in both has the reason of a.
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
