package field_test

import (
	"maps"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

// view is a handler that knows what there should be after the events delivered to
// it, how late they were, and which deletions did not happen.
type view struct {
	// exists reports whether a pod is on the server.
	exists func(*v1.Pod) bool

	mu      sync.Mutex
	objects map[string]string
	// written are the changes of pods that have not arrived yet.
	written []change
	late    time.Duration
	// madeUp counts the deletions that did not happen.
	madeUp int
}

// change is a state of a pod, and when it was written.
type change struct {
	name, state string
	at          time.Time
}

func (v *view) OnAdd(obj any, _ bool) { v.set(obj.(*v1.Pod)) }
func (v *view) OnUpdate(_, obj any)   { v.set(obj.(*v1.Pod)) }

func (v *view) set(pod *v1.Pod) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.objects[pod.Name] = state(pod)
	for i := len(v.written) - 1; i >= 0; i-- {
		if v.written[i].name == pod.Name && v.written[i].state == state(pod) {
			v.late = max(v.late, time.Since(v.written[0].at))
			v.written = v.written[i+1:]
			return
		}
	}
}

func (v *view) OnDelete(obj any) {
	if unknown, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	pod := obj.(*v1.Pod)
	exists := v.exists(pod)
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.objects, pod.Name)
	if exists {
		v.madeUp++
	}
}

func (v *view) get() map[string]string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return maps.Clone(v.objects)
}

// wrote begins to wait for a state. All writes are of one pod.
func (v *view) wrote(pod *v1.Pod, at time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.objects[pod.Name] != state(pod) {
		v.written = append(v.written, change{pod.Name, state(pod), at})
	}
}

// forget resets the measurement.
func (v *view) forget() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.written, v.late, v.madeUp = nil, 0, 0
}

// measured returns how late the latest change was, or is, and how many deletions
// did not happen.
func (v *view) measured() (late time.Duration, madeUp int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	late = v.late
	if len(v.written) > 0 {
		late = max(late, time.Since(v.written[0].at))
	}
	return late, v.madeUp
}
