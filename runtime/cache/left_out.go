package cache

import (
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/objectkey"
)

// Find is Get with an error, failure.ErrLeftOut, for an object that the server has and the store
// could not take.
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
	if why, is := s.leftOut.Reason(key); is {
		err = fmt.Errorf("object %q: %w: %s", objectkey.String(key), failure.ErrLeftOut, why)
	}
	return nil, false, err
}

// noteLeftOut notes which objects are left out after a delta, and which are not any more. The caller
// holds writing and mu.
func (s *store) noteLeftOut(d *delta) {
	switch {
	case d.kind == assigned:
		s.leftOut.BeginVisit()
		s.leftOut.EndVisit(func(by any) bool { return !s.assignment.has(by.(*branch)) })
	case d.kind != leftOut && d.kind != replaced && !s.leftOut.Any(), !s.assignment.has(d.from):
	case d.kind == leftOut:
		s.leaveOut(d)
	case d.kind == replaced:
		s.leftOut.BeginVisit()
		s.leaveOut(d)
		s.leftOut.EndVisit(func(by any) bool { return by == any(d.from) })
	case d.key.Name != "":
		s.leftOut.Remove(d.key)
	}
}

func (s *store) leaveOut(d *delta) {
	for key, why := range d.list.leftOut {
		s.leftOut.Add(d.from, key, why)
	}
}
