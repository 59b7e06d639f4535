package factory

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
)

// What is measured is in the status: of informers of this module, in client-go's wrapper or
// not, and of client-go.
func TestMeasureMemory(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset(pod("a", "1", nil), pod("b", "1", nil))
		f := newFactory(client)
		f.pods()
		f.nodes()
		f.InformerFor(&v1.Service{}, func(kubernetes.Interface, time.Duration) cache.SharedIndexInformer {
			informer := cache.NewSharedIndexInformer(neverAnswers, &v1.Service{}, 0, nil)
			if err := informer.GetStore().Add(&v1.Service{}); err != nil {
				t.Error(err)
			}
			return informer
		})
		f.StartWithContext(ctx)
		time.Sleep(time.Second)
		for _, s := range f.Status() {
			if s.Memory != nil {
				t.Errorf("%s was measured: %v", s.Name, s.Memory)
			}
		}
		if err := MeasureMemory(ctx, f); err != nil {
			t.Fatal(err)
		}
		want := map[string]int{"*v1.Service": 1, "nodes.v1": 0, "pods.v1": 2}
		for _, s := range f.Status() {
			if s.Memory == nil || s.Memory.Objects != want[s.Name] || (s.Memory.Bytes > 0) != (want[s.Name] > 0) || len(s.Memory.Fields) > 10 {
				t.Errorf("%s: %v", s.Name, s.Memory)
			}
		}

		var other struct{ statuses }
		if err := MeasureMemory(ctx, other); err == nil || !strings.Contains(err.Error(), "can't measure memory") {
			t.Errorf("error %v", err)
		}
		ended, end := context.WithCancelCause(ctx)
		end(errors.New("enough"))
		if err := MeasureMemory(ended, f); err == nil || err.Error() != `informer "nodes.v1": memory of its objects: enough` {
			t.Errorf("error %v", err)
		}
		stop()
		f.Shutdown()
	})
}

// statuses is a factory of somebody else.
type statuses struct{}

func (statuses) Status() []Status { return nil }

// Informers measure by themselves only if the factory says so.
func TestMemoryInterval(t *testing.T) {
	for interval, want := range map[time.Duration]bool{0: false, time.Minute: true} {
		inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
			f := newFactory(fake.NewClientset(pod("a", "1", nil)), WithMemoryInterval(interval))
			f.pods()
			f.StartWithContext(ctx)
			time.Sleep(time.Second)
			if memory := f.Status()[0].Memory; (memory != nil) != want {
				t.Errorf("interval %v: %v", interval, memory)
			}
			stop()
			f.Shutdown()
		})
		inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
			fish := someResources(1)
			f, _ := newPond(ResourceOptions{MemoryInterval: interval}, fish...)
			f.InformerFor(fish[0])
			f.StartWithContext(ctx)
			time.Sleep(time.Second)
			if memory := f.Status()[0].Memory; (memory != nil) != want {
				t.Errorf("resource, interval %v: %v", interval, memory)
			}
			stop()
			f.Shutdown()
		})
	}
}
