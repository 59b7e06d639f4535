package cache

import (
	"context"
	"math/rand/v2"
	"time"
)

// minimumRest bounds how often an informer asks a server that keeps failing,
// whatever Options.OnFailure says.
const minimumRest = 100 * time.Millisecond

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

// Decision is what to do about a Failure.
type Decision struct {
	// Rest is how long to rest before the next attempt, no less than 100 ms.
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
	d.Rest = max(d.Rest, minimumRest)
	return d
}

// absentRest is how long to rest when the resource is not there, at random up to a
// quarter longer than configured: many informers may wait for it.
func (o *Options[T]) absentRest() time.Duration {
	least := o.absentRetry()
	return least + rand.N(least/4+1)
}
