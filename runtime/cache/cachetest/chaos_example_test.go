package cachetest_test

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

type guest = *metav1.PartialObjectMetadata

// greeter is the controller under test: it greets every guest with a label.
type greeter struct{ guests *cachetest.API[guest] } // a client, outside of tests

func (g greeter) OnAdd(obj guest, _ bool)  { g.greet(obj) }
func (g greeter) OnUpdate(_, obj guest)    { g.greet(obj) }
func (g greeter) OnDelete(_ guest, _ bool) {}

func (g greeter) greet(cached guest) {
	if cached.Labels["greeting"] != "" {
		return
	}
	obj := cached.DeepCopy()
	metav1.SetMetaDataLabel(&obj.ObjectMeta, "greeting", "hello "+obj.Name)
	// A conflict means that the cached object is old: the event of its change follows.
	_, _ = g.guests.Update(obj)
}

func greeted(objs []guest) bool {
	for _, obj := range objs {
		if obj.Labels["greeting"] != "hello "+obj.Name {
			return false
		}
	}
	return true
}

// A controller is tested with every fault there is: while faults last it may be late,
// and once they are over its result must be right. The same seed gives the same faults.
//
// In a bubble of testing/synctest the informer can keep its real timeouts: waiting for
// hours takes no time there.
func ExampleAPI_FailRandomly() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()

	api := cachetest.NewAPI[guest]()
	api.FailRandomly(cachetest.Chaos{Seed: 42, MaxDelay: 5 * time.Millisecond})
	informer := cache.New(api.Source(), cache.Options[guest]{
		ListWatch: cache.ListWatch{
			Backoff:         &wait.Backoff{Duration: time.Millisecond, Steps: 1},
			BookmarkTimeout: 20 * time.Millisecond,
			IdleTimeout:     20 * time.Millisecond,
		},
	})
	var seen cachetest.Recorder[guest]
	for _, handler := range []cache.Handler[guest]{greeter{api}, &seen} {
		if _, err := informer.AddHandler(handler, cache.HandlerOptions{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	go func() { _ = informer.Run(ctx) }()

	allGreeted := func([]cachetest.Event[guest]) bool { return greeted(api.Objects()) }
	for i := range 20 {
		if _, err := api.Create(&metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("guest", i)}}); err != nil {
			fmt.Println(err)
		}
		if i%5 == 0 { // the others come while the informer is late
			_ = seen.WaitUntil(ctx, allGreeted)
		}
	}
	api.ClearFaults()

	if err := seen.WaitUntil(ctx, allGreeted); err != nil {
		fmt.Println("not every guest is greeted:", err, informer.Status())
		for _, request := range api.Requests() {
			fmt.Println(request.Verb, request.Fault)
		}
	}
	fmt.Println(len(api.Objects()), "guests, all greeted:", greeted(api.Objects()))
	// Output:
	// 20 guests, all greeted: true
}
