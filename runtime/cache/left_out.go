package cache

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

// Find is Get, but returns failure.ErrLeftOut for an object that the server has and the store could not
// take.
func (s *store) Find(key types.NamespacedName) (obj any, exists bool, err error) {
	version := s.mu.Version()
	o, exists := s.table.Load(key)
	form := s.form.Load()
	switch doubt := !exists && s.leftOut.Any(); {
	case doubt, !s.mu.UnchangedSince(version):
		return s.findLocked(key)
	case !exists:
		return nil, false, nil
	}
	return form.Unpack(o), true, nil
}

func (s *store) findLocked(key types.NamespacedName) (obj any, exists bool, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if o, ok := s.table.Get(key); ok {
		return s.form.Load().Unpack(o), true, nil
	}
	if left, is := s.leftOut.State(key); is {
		err = fmt.Errorf("object %q: %w: %s", objectkey.String(key), failure.ErrLeftOut, left.Why)
	}
	return nil, false, err
}

// seen returns, all from one moment, the object of a key as it was received, whether it exists, and whether
// its latest state is left out. If the metadata of a left-out state are known, obj has them, and exists is
// true although the store may have no object.
func (s *store) seen(key types.NamespacedName) (obj protocol.Received, exists, leftOut bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	o, exists := s.table.Get(key)
	if exists {
		obj = s.form.Load().Received(o)
	}
	left, leftOut := s.leftOut.State(key)
	if left.Sent != nil {
		obj.Sent, exists = left.Sent, true
	}
	return obj, exists, leftOut
}

// noteLeftOut notes the objects that a delta leaves out, and forgets the objects that it no longer leaves
// out. The caller holds writing and mu.
func (s *store) noteLeftOut(d *delta) {
	if d.list == nil {
		if d.key.Name != "" {
			s.leftOut.Remove(d.key)
		}
		return
	}
	if d.prepared() {
		s.leftOut.BeginVisit()
		defer s.leftOut.EndVisit(func(by any) bool { return by == any(d.from) || slices.Contains(d.list.gone, by.(*scope)) })
	}
	for key, left := range d.list.leftOut {
		s.leftOut.Add(d.from, key, left)
	}
}
