package chaos

import (
	"math/rand/v2"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// mode is a way to be a handler.
type mode struct {
	name    string
	options cache.HandlerOptions
	// work makes what a handler does in each call, until calm is closed.
	work func(calm <-chan struct{}, random *rand.Rand) func()
	// core reports whether client-go's interface can't ask for it.
	core bool
	// batches reports whether it takes events in batches.
	batches bool
}

var modes = []mode{
	{name: "in order"},
	{name: "resynced", options: cache.HandlerOptions{Resync: time.Second}},
	{name: "working", work: sleeping(2 * time.Millisecond)},
	{name: "stopping", work: stopping},
	{name: "unchanged too", options: cache.HandlerOptions{Unchanged: true}, core: true},
	{name: "in batches", core: true, batches: true},
	{name: "panicking", options: cache.HandlerOptions{OnPanic: failure.PanicRetry}, work: panicking, core: true},
	{name: "with limit, stuck", options: cache.HandlerOptions{Limit: 100}, work: stuck, core: true},
	{name: "with limit, working", options: cache.HandlerOptions{Limit: 1000}, work: sleeping(4 * time.Millisecond), core: true},
	{name: "coalescing", options: cache.HandlerOptions{Coalesce: true, Limit: 1}, core: true},
	{name: "coalescing, working", options: cache.HandlerOptions{Coalesce: true, Limit: 10}, work: sleeping(20 * time.Millisecond), core: true},
	{name: "coalescing, stopping", options: cache.HandlerOptions{Coalesce: true, Limit: 10, Resync: time.Second}, work: stopping, core: true},
	{name: "coalescing, in batches", options: cache.HandlerOptions{Coalesce: true, Limit: 10}, work: stopping, core: true, batches: true},
	{name: "coalescing, stuck", options: cache.HandlerOptions{Coalesce: true}, work: stuck, core: true},
	{name: "coalescing, panicking", options: cache.HandlerOptions{Coalesce: true, Limit: 5, OnPanic: failure.PanicRetry, Unchanged: true}, work: panicking, core: true},
}

// sleeping takes up to a duration for each event.
func sleeping(most time.Duration) func(<-chan struct{}, *rand.Rand) func() {
	return func(calm <-chan struct{}, random *rand.Rand) func() {
		return func() { sleep(calm, time.Duration(random.Int64N(int64(most)))) }
	}
}

// stopping is quick, but for some seconds now and then.
func stopping(calm <-chan struct{}, random *rand.Rand) func() {
	return func() {
		if random.IntN(300) == 0 {
			sleep(calm, time.Duration(random.Int64N(int64(3*time.Second))))
		}
	}
}

// stuck does not return from the first event.
func stuck(calm <-chan struct{}, _ *rand.Rand) func() {
	return func() { <-calm }
}

func panicking(calm <-chan struct{}, random *rand.Rand) func() {
	return func() {
		select {
		case <-calm:
		default:
			if random.IntN(500) == 0 {
				panic("as it was asked to")
			}
		}
	}
}

// sleep returns after d, or when it is calm.
func sleep(calm <-chan struct{}, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-calm:
	}
}
