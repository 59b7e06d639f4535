package faults_test

import (
	"maps"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// view is a handler that keeps the objects that result from its calls, and when it was
// called for the last change.
type view struct {
	// without is a pod that does not count.
	without string

	mu      sync.Mutex
	objects map[string]string
	changed time.Time
}

func (v *view) OnAdd(obj any, _ bool) { v.set(obj.(*v1.Pod)) }
func (v *view) OnUpdate(_, obj any)   { v.set(obj.(*v1.Pod)) }

func (v *view) get() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.objects)
}

func (v *view) lastChange() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed
}

func (v *view) set(pod *v1.Pod) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if pod.Name != v.without && v.objects[pod.Name] != state(pod) {
		v.objects[pod.Name], v.changed = state(pod), time.Now()
	}
}

func (v *view) OnDelete(obj any) {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.objects, obj.(*v1.Pod).Name)
	v.changed = time.Now()
}
