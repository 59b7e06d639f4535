package controller

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// Whatever happens, a key is with one worker at a time, and the last reconcile of each has
// seen the last state: of its object, and of those that refer to it.
func TestNoChangeIsLost(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { checkNoChangeIsLost(t, seed) })
		})
	}
}

func checkNoChangeIsLost(t *testing.T, seed uint64) {
	random := rand.New(rand.NewPCG(seed, 0))
	maps, pods := newWorld[*corev1.ConfigMap](), newWorld[*corev1.Pod]()
	chaos := cachetest.Chaos{Seed: seed, Rate: 0.1}
	maps.api.FailRandomly(chaos)
	pods.api.FailRandomly(chaos)
	maps.follow(t)
	pods.follow(t)

	m := &model{random: rand.New(rand.NewPCG(seed, 1)), running: map[types.NamespacedName]bool{}, seen: map[types.NamespacedName]string{}}
	m.state = func(k types.NamespacedName) string {
		obj, _ := maps.informer.Store().Get(k)
		return describe(obj, pods.informer.Store().List(), k)
	}
	c := mustNew(t, m.reconcile, Options{Workers: 1 + random.IntN(4)}, KeysOf(maps.informer), MappedKeysOf(pods.informer, target))
	start(t, c)
	for range 100 {
		time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
		disturb(random, maps.api, pods.api)
	}
	maps.api.ClearFaults()
	pods.api.ClearFaults()
	m.calm()
	time.Sleep(24 * time.Hour)
	synctest.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()

	for i := range names {
		k := key("m" + strconv.Itoa(i))
		obj, _ := maps.api.Get(k)
		if got, want := m.seen[k], describe(obj, pods.api.Objects(), k); got != want {
			t.Errorf("%v: last reconciled with %q, and is %q", k, got, want)
		}
	}
	if m.twice {
		t.Error("a key was with two workers")
	}
	if s := c.Status(); s.Waiting+s.Delayed+len(s.Running)+s.AwaitingWrites != 0 {
		t.Errorf("not idle: %+v", s)
	}
}

// names is the largest number of objects of each kind.
const names = 5

// target maps a pod to the config map that it names.
func target(pod *corev1.Pod) []types.NamespacedName {
	return []types.NamespacedName{key(pod.Spec.NodeName)}
}

// describe returns what a reconcile depends on.
func describe(obj *corev1.ConfigMap, pods []*corev1.Pod, k types.NamespacedName) string {
	version, refer := "", 0
	if obj != nil {
		version = obj.ResourceVersion
	}
	for _, pod := range pods {
		if target(pod)[0] == k {
			refer++
		}
	}
	if version == "" && refer == 0 {
		return "" // as it is for a key that was never reconciled
	}
	return fmt.Sprintf("version %s, %d pods", version, refer)
}

// disturb changes an object.
func disturb(random *rand.Rand, maps *cachetest.API[*corev1.ConfigMap], pods *cachetest.API[*corev1.Pod]) {
	number := strconv.Itoa(random.IntN(names))
	obj, pod := configMap("m"+number), &corev1.Pod{}
	pod.Namespace, pod.Name, pod.Spec.NodeName = "ns", "p"+number, "m"+strconv.Itoa(random.IntN(names))
	// Many of these fail, which is fine: there is such an object, or there is none.
	switch random.IntN(6) {
	case 0:
		maps.Create(obj)
	case 1:
		maps.Update(obj)
	case 2:
		maps.Delete(key(obj.Name))
	case 3:
		pods.Create(pod)
	case 4:
		pods.Update(pod)
	case 5:
		pods.Delete(key(pod.Name))
	}
}

// model is a reconcile that takes its time, fails, panics and ends its goroutine.
type model struct {
	state func(types.NamespacedName) string

	mu      sync.Mutex
	random  *rand.Rand
	running map[types.NamespacedName]bool
	twice   bool
	seen    map[types.NamespacedName]string
	quiet   bool
}

func (m *model) calm() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.quiet = true
}

// begin returns what is going to happen, and for how long.
func (m *model) begin(k types.NamespacedName) (what int, takes time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.twice = m.twice || m.running[k]
	m.running[k] = true
	if m.quiet {
		return 4, 0
	}
	return m.random.IntN(8), time.Duration(m.random.IntN(500)) * time.Millisecond
}

func (m *model) end(k types.NamespacedName, seen *string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.running, k)
	if seen != nil {
		m.seen[k] = *seen
	}
}

func (m *model) reconcile(_ context.Context, k types.NamespacedName) (Result, error) {
	what, takes := m.begin(k)
	var seen *string
	defer func() { m.end(k, seen) }()
	state := m.state(k)
	time.Sleep(takes)
	switch what {
	case 0:
		return Result{}, errors.New("boom")
	case 1:
		panic("ouch")
	case 2:
		runtime.Goexit()
	}
	seen = &state
	if what == 3 {
		return Result{After: 300 * time.Millisecond}, nil
	}
	return Result{}, nil
}
