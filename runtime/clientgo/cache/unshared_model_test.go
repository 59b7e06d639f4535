package cache

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// mirror is a handler that makes a copy of the store from its events, and
// reports calls that contradict the calls before.
type mirror struct {
	t    *testing.T
	mu   sync.Mutex
	pods map[string]*v1.Pod
}

func (m *mirror) OnAdd(obj any, _ bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := obj.(*v1.Pod)
	if m.pods[p.Name] != nil {
		m.t.Errorf("%s is added again", state(p))
	}
	m.pods[p.Name] = p
}

func (m *mirror) OnUpdate(old, obj any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p := obj.(*v1.Pod)
	if m.pods[p.Name] != old {
		m.t.Errorf("update of %s, which is not what was told before", state(old))
	}
	m.pods[p.Name] = p
}

func (m *mirror) OnDelete(obj any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if unknown, ok := obj.(DeletedFinalStateUnknown); ok {
		obj = unknown.Obj
	}
	p := obj.(*v1.Pod)
	if m.pods[p.Name] == nil {
		m.t.Errorf("delete of %s, which is not there", state(p))
	}
	delete(m.pods, p.Name)
}

func (m *mirror) states() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	states := map[string]bool{}
	for _, p := range m.pods {
		states[state(p)] = true
	}
	return states
}

// Whatever happens to the API and to the connections, what an informer tells its
// handler makes sense, and is in the end what the API holds.
func TestUnsharedInformerFollowsTheAPI(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 0))
				api, lw := podAPI("pod-0", "pod-1")
				handler := &mirror{t: t, pods: map[string]*v1.Pod{}}
				_, controller := NewInformer(lw, &v1.Pod{}, time.Minute, handler)
				defer background(t, controller.RunWithContext)()

				for range 100 {
					happen(api, random)
				}
				time.Sleep(10 * time.Minute)
				want := map[string]bool{}
				for _, p := range api.Objects() {
					want[state(p)] = true
				}
				if got := handler.states(); !maps.Equal(got, want) {
					t.Errorf("the handler has %v, and the API %v", got, want)
				}
			})
		})
	}
}

// happen lets something happen to an API, or to the connections to it.
func happen(api *cachetest.API[*v1.Pod], random *rand.Rand) {
	name := fmt.Sprint("pod-", random.IntN(6))
	key := types.NamespacedName{Namespace: "ns", Name: name}
	switch random.IntN(10) {
	case 0, 1, 2:
		// One that is there stays as it is.
		_, _ = api.Create(pod("ns", name, ""))
	case 3, 4:
		if p, err := api.Get(key); err == nil {
			p.Labels = map[string]string{"after": p.ResourceVersion}
			_, _ = api.Update(p)
		}
	case 5, 6:
		_, _ = api.Delete(key)
	case 7:
		api.BreakWatches(cachetest.ErrConnectionReset)
	case 8:
		api.Compact()
		api.CloseWatches()
	case 9:
		time.Sleep(time.Duration(random.IntN(60)) * time.Second)
	}
}

func state(obj any) string { return obj.(*v1.Pod).Name + "@" + obj.(*v1.Pod).ResourceVersion }
