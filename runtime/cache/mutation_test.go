package cache

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// quietSource lists one object, and nothing happens to it.
type quietSource struct{ obj *thing }

func (s quietSource) Describe() SourceInfo { return SourceInfo{NoWatchList: true} }

func (s quietSource) List(_ context.Context, _ metav1.ListOptions, each func(any, error)) (metav1.ListMeta, error) {
	each(s.obj, nil)
	return metav1.ListMeta{ResourceVersion: "1"}, nil
}

func (s quietSource) Watch(ctx context.Context, _ metav1.ListOptions) (Watcher, error) {
	return quietWatcher{ctx}, nil
}

type quietWatcher struct{ ctx context.Context }

func (w quietWatcher) Stop() {}

func (w quietWatcher) Next() (WatchEvent, error) {
	<-w.ctx.Done()
	return WatchEvent{}, w.ctx.Err()
}

// With the switch on, an informer watches what it hands out.
func TestInformerDetectsMutations(t *testing.T) {
	t.Setenv("KUBE_CACHE_MUTATION_DETECTOR", "true")
	synctest.Test(t, func(t *testing.T) {
		obj := newThing("ns", "a", "1")
		informer := New(Source[*thing]{quietSource{obj}}, Options[*thing]{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- informer.Run(ctx) }()
		if err := informer.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		shared, _ := informer.Store().Get(types.NamespacedName{Namespace: "ns", Name: "a"})
		shared.Labels = map[string]string{"changed": "yes"}
		if err := informer.fanout.detector.Compare(time.Now()); err == nil {
			t.Error("the mutation was not found")
		}
		shared.Labels = nil // or the informer would panic
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// brokenSource can't list.
type brokenSource struct{ quietSource }

var errBroken = errors.New("no list")

func (brokenSource) List(context.Context, metav1.ListOptions, func(any, error)) (metav1.ListMeta, error) {
	return metav1.ListMeta{}, errBroken
}

// An informer that gives up ends with the switch on as it does without.
func TestInformerThatDetectsMutationsGivesUp(t *testing.T) {
	t.Setenv("KUBE_CACHE_MUTATION_DETECTOR", "true")
	synctest.Test(t, func(t *testing.T) {
		informer := New(Source[*thing]{brokenSource{}}, Options[*thing]{
			ListWatch: ListWatch{OnFailure: func(context.Context, Failure) Decision { return Decision{Stop: true} }},
		})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		ended := make(chan error, 1)
		go func() { ended <- informer.Run(ctx) }()
		select {
		case err := <-ended:
			if !errors.Is(err, errBroken) {
				t.Errorf("Run: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("Run did not return")
		}
	})
}
