package controller

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// followed is an informer of objects that reconciles write. The server may have made a write that it did
// not answer. After such a write, the informer's store must reach the state that the server has by then.
// One waiter at a time asks the server for that state, on behalf of all. After a failed attempt there is a
// pause, which grows from attempt to attempt.
type followed struct {
	*cache.Informer[any]

	mu sync.Mutex
	// asked counts the unanswered writes. The store has caught up with the first seen writes.
	asked, seen uint64
	// asking is true while a waiter asks the server. When it has an answer, done is closed and replaced.
	asking bool
	done   chan struct{}
	// failures counts the attempts that failed since the last success, err is the error of the last one,
	// and the next attempt is not made before retry. They are zero after a success.
	failures int
	err      error
	retry    time.Time
}

// firstRetry is the first pause between two attempts, and longestRetry the longest. A random part makes
// each pause up to twice as long.
const (
	firstRetry   = 2 * time.Second
	longestRetry = 30 * time.Second
)

// follow returns a followed for each informer.
func follow(informers []*cache.Informer[any]) (all []*followed) {
	for _, informer := range informers {
		all = append(all, &followed{Informer: informer, done: make(chan struct{})})
	}
	return all
}

// unanswered is a write that the server may have made. turn is its number, from 1.
type unanswered struct {
	*followed
	turn uint64
}

// ask numbers an unanswered write.
func (f *followed) ask() *unanswered {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return &unanswered{f, f.asked}
}

// wait blocks until the store has the state that the server had after the write, or ctx ends. It returns
// failure.ErrStopped when the informer has stopped.
func (u *unanswered) wait(ctx context.Context) error {
	for {
		u.mu.Lock()
		if u.seen >= u.turn {
			u.mu.Unlock()
			return nil
		}
		mine, done, pause, err := !u.asking && ctx.Err() == nil, u.done, time.Until(u.retry), u.err
		u.asking = u.asking || mine
		u.mu.Unlock()
		if mine {
			if err := u.catchUp(ctx, pause); err != nil {
				return err
			}
			continue
		}
		select {
		case <-done:
		case <-ctx.Done():
			return unknown(err, ctx.Err())
		}
	}
}

// unknown returns the error of a wait that ended, with end, before the store had caught up. err is the
// error of the last attempt, or nil if no attempt failed.
func unknown(err, end error) error {
	if err != nil {
		end = fmt.Errorf("%w: %w", end, err)
	}
	return fmt.Errorf("write without an answer, which the server may have made: %w", end)
}

// catchUp makes one attempt, after a pause, for all unanswered writes up to then. It returns an error only
// if the wait is over: the informer has stopped, or ctx has ended. It logs other errors, and the next
// attempt is due after a pause.
func (f *followed) catchUp(ctx context.Context, pause time.Duration) error {
	select {
	case <-time.After(pause):
	case <-ctx.Done():
	}
	f.mu.Lock()
	turn := f.asked
	f.mu.Unlock()
	err := ctx.Err()
	if err == nil {
		err = f.WaitForLatest(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asking = false
	close(f.done)
	f.done = make(chan struct{})
	switch {
	case err == nil:
		f.seen, f.failures, f.err = max(f.seen, turn), 0, nil
	case errors.Is(err, failure.ErrStopped):
		return err
	case ctx.Err() != nil:
		return unknown(f.err, err)
	default:
		klog.FromContext(ctx).Error(err, "Waiting for the latest state after a write without an answer")
		delay := min(firstRetry<<min(f.failures, 10), longestRetry)
		f.failures, f.err = f.failures+1, err
		f.retry = time.Now().Add(delay + rand.N(delay))
	}
	return nil
}
