package differential_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// server is the server that an informer lists and watches.
type server interface {
	// do does what a step says, if it concerns the server.
	do(step)
	listerWatcher() cache.ListerWatcher
	// source is the same for an informer of the core.
	source() core.Source[*v1.Pod]
	// pods describes the objects, and false if nobody can know them now.
	pods() ([]string, bool)
	// latest is the version of a list.
	latest() string
	// watchedFor is since when the latest watch is open.
	watchedFor() time.Duration
	// beat is called every minute.
	beat()
}

const namespace = "ns"

// pod is the object of a change.
func (c change) pod() *v1.Pod {
	p := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: c.name, ResourceVersion: c.version, UID: types.UID(c.uid)}}
	for _, label := range c.labels {
		metav1.SetMetaDataLabel(&p.ObjectMeta, string(label), "")
	}
	return p
}

// describe is all that there is to a pod.
func describe(obj any) string {
	p, ok := obj.(*v1.Pod)
	if !ok {
		return fmt.Sprintf("%T", obj)
	}
	var labels []string
	for label := range p.Labels {
		labels = append(labels, label)
	}
	slices.Sort(labels)
	return fmt.Sprintf("%s@%s uid %q labels %q", p.Name, p.ResourceVersion, p.UID, strings.Join(labels, ""))
}

// describeAll describes pods in the order of their names. If several have one name, the last one counts.
func describeAll(pods []*v1.Pod) []string {
	byName := map[string]string{}
	for _, p := range pods {
		byName[p.Name] = describe(p)
	}
	return slices.Sorted(maps.Values(byName))
}

// gate lets requests pass, or gives them faults. Its owner lists and opens the watches.
type gate struct {
	mu sync.Mutex
	// list and open answer requests, with mu held.
	list func() *v1.PodList
	open func(metav1.ListOptions) (*watch.RaceFreeFakeWatcher, error)

	watchList bool
	down      *fault
	failures  []failure
	watches   []*watch.RaceFreeFakeWatcher
	// opened is when the last one was.
	opened time.Time
}

// IsWatchListSemanticsUnSupported says whether there are watch-lists.
func (g *gate) IsWatchListSemanticsUnSupported() bool { return !g.watchList }

func (g *gate) List(metav1.ListOptions) (runtime.Object, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if f := g.meets(true); f != nil {
		return nil, f.err
	}
	return g.list(), nil
}

func (g *gate) Watch(options metav1.ListOptions) (watch.Interface, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f := g.meets(false)
	if f != nil && f.name != closed.name {
		return nil, f.err
	}
	w, err := g.open(options)
	if err != nil {
		return nil, err
	}
	if f != nil {
		w.Stop()
	}
	g.watches, g.opened = append(g.watches, w), time.Now()
	return w, nil
}

func (g *gate) latest() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.list().ResourceVersion
}

func (g *gate) watchedFor() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Since(g.opened)
}

// beat does nothing: fake servers send no bookmarks.
func (g *gate) beat() {}

// meets returns what a request meets.
func (g *gate) meets(list bool) *fault {
	if g.down != nil {
		return g.down
	}
	for i := range g.failures {
		if f := &g.failures[i]; f.list == list && f.times > 0 {
			f.times--
			return &f.fault
		}
	}
	return nil
}

// cut ends the watches. The caller holds mu.
func (g *gate) cut(f fault) {
	watches := g.watches
	g.watches = nil
	for _, w := range watches {
		if w.IsStopped() {
			continue
		}
		if status := f.status(); status != nil {
			w.Error(status)
		}
		w.Stop()
	}
}

// send lets the watches have an event. The caller holds mu.
func (g *gate) send(event watch.EventType, obj runtime.Object) {
	for _, w := range g.watches {
		if !w.IsStopped() {
			w.Action(event, obj.DeepCopyObject())
		}
	}
}

// watched reports whether an informer watches. The caller holds mu.
func (g *gate) watched() bool {
	return slices.ContainsFunc(g.watches, func(w *watch.RaceFreeFakeWatcher) bool { return !w.IsStopped() })
}

// unseen reports whether what changes now is in a list that every informer makes.
func (g *gate) unseen(started bool) bool {
	switch {
	case !started:
		return true
	case g.down != nil:
		return g.down.relists
	default:
		return false
	}
}

// begin notes what of a step is the gate's. The caller holds mu.
func (g *gate) begin(s step) {
	switch s.kind {
	case cut:
		g.failures = slices.Clone(s.failures)
		g.cut(s.fault)
	case down:
		g.down = &s.fault
		g.cut(s.fault)
	case up:
		g.down = nil
	}
}

// listPods and watchPods are the methods of a clientset.
func (g *gate) listPods(_ context.Context, options metav1.ListOptions) (*v1.PodList, error) {
	list, err := g.List(options)
	if err != nil {
		return nil, err
	}
	return list.(*v1.PodList), nil
}

func (g *gate) watchPods(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
	return g.Watch(options)
}
