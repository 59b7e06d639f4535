package cache_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// A handler that takes events in batches gets what is ready, in one call.
func ExampleInBatches() {
	api := cachetest.NewAPI(newThing("first"), newThing("second"), newThing("third"))
	informer := cache.New(api.Source(), cache.Options[*thing]{})
	ctx, stop := context.WithCancel(context.Background())
	save := func(events []cache.Event[*thing]) {
		fmt.Println("a batch of", len(events), "because of a", events[0].Cause)
		stop()
	}
	if _, err := informer.AddHandler(cache.InBatches(save), cache.HandlerOptions{}); err != nil {
		log.Fatal(err)
	}
	fmt.Println(informer.Run(ctx))
	// Output:
	// a batch of 3 because of a list
	// <nil>
}

// A handler that coalesces, and is behind by more than its limit, gets the latest state of each
// object: its memory does not depend on how long it takes.
func ExampleHandlerOptions_coalesce() {
	api := cachetest.NewAPI(newThing("first"))
	informer := cache.New(api.Source(), cache.Options[*thing]{})
	ctx, stop := context.WithCancel(context.Background())
	behind := make(chan struct{})
	calls := 0
	handler := cache.HandlerFuncs[*thing]{
		Add: func(obj *thing, _ bool) {
			fmt.Println("add", obj.Name)
			<-behind
		},
		Update: func(old, obj *thing) {
			if calls++; calls == 1 {
				fmt.Println("update from the state of the add:", len(old.Labels) == 0)
			}
			if obj.Labels["n"] == "1000" {
				fmt.Println("1,000 states in a few calls:", calls <= 11)
				stop()
			}
		},
	}
	registration, err := informer.AddHandler(handler, cache.HandlerOptions{Coalesce: true, Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- informer.Run(ctx) }()
	<-informer.Synced()
	label(ctx, api, informer, 1000)
	for registration.Backlog() > 12 { // one call, one merged event, and the limit
		time.Sleep(time.Millisecond)
	}
	close(behind)
	fmt.Println(<-ended)
	// Output:
	// add first
	// update from the state of the add: true
	// 1,000 states in a few calls: true
	// <nil>
}

// A handler in order gets every state. One that has a limit is removed when more events than
// that wait for it.
func ExampleHandlerOptions_limit() {
	api := cachetest.NewAPI(newThing("first"))
	informer := cache.New(api.Source(), cache.Options[*thing]{})
	ctx, stop := context.WithCancel(context.Background())
	stuck := make(chan struct{})
	handler := cache.HandlerFuncs[*thing]{Add: func(*thing, bool) { <-stuck }}
	registration, err := informer.AddHandler(handler, cache.HandlerOptions{Name: "slow", Limit: 10})
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- informer.Run(ctx) }()
	<-informer.Synced()
	label(ctx, api, informer, 1000)
	for registration.Err() == nil {
		time.Sleep(time.Millisecond)
	}
	fmt.Println(errors.Is(registration.Err(), failure.ErrBacklogFull), len(informer.Status().Handlers))
	close(stuck)
	stop()
	fmt.Println(<-ended)
	// Output:
	// true 0
	// <nil>
}

// label updates the first thing n times, and waits until the informer has the last state.
func label(ctx context.Context, api *cachetest.API[*thing], informer *cache.Informer[*thing], n int) {
	obj := api.Objects()[0]
	for i := range n {
		obj.Labels = map[string]string{"n": fmt.Sprint(i + 1)}
		written, err := api.Update(obj)
		if err != nil {
			log.Fatal(err)
		}
		obj = written
	}
	if err := informer.WaitForWrite(ctx, obj); err != nil {
		log.Fatal(err)
	}
}
