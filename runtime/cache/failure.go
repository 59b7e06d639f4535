package cache

import (
	"context"
	"math/rand/v2"
	"time"
)

// Failure is a list or watch that failed, after which the informer rests.
type Failure struct {
	// Err says what failed, and Class what that means.
	Err   error
	Class ErrorClass
	// Phase is what the informer was doing: Listing, Streaming or Watching.
	Phase Phase
	// Attempts counts the failures since the last success, this one included.
	Attempts int
	// Rest is how long the informer is about to rest.
	Rest time.Duration
}

// Decision is what to do about a Failure. The zero value is what the informer does by
// itself.
type Decision struct {
	// Rest is how long to wait before the next attempt. Zero is Failure.Rest; what is
	// less than 100 ms, or negative, is 100 ms.
	Rest time.Duration
	// Stop ends the informer: Run returns the error of the failure.
	Stop bool
}

// decide returns how long to rest after a failure, and whether to give up.
func (o *Options[T]) decide(ctx context.Context, f Failure) Decision {
	if o.OnFailure == nil {
		return Decision{Rest: f.Rest}
	}
	d := o.OnFailure(ctx, f)
	if d.Rest == 0 {
		d.Rest = f.Rest
	}
	d.Rest = max(d.Rest, minimumDelay)
	return d
}

// absentDelay is how long to wait when the resource is not there, at random up to a
// quarter longer than configured: many informers may wait for it.
func (o *Options[T]) absentDelay() time.Duration {
	least := max(o.absentRetry(), minimumDelay)
	return least + rand.N(least/4+1)
}
