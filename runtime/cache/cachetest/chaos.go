package cachetest

import (
	"cmp"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"
)

// Chaos configures random faults of lists and watches, of every kind from which a client can recover. After
// ClearFaults, its cache must become equal to the objects of the API again.
//
// The fault of a request depends on the Seed and on the number of requests before it, and on nothing else.
// Request.Fault describes it.
//
// Faults that no informer recovers from are left out: a single object that can't be decoded or is too long
// is missing until it changes.
type Chaos struct {
	// Seed decides which requests meet which faults. The same seed leads to the same faults.
	Seed uint64
	// Rate is the share of the requests that meet a fault, from 0 to 1. Zero means one half.
	Rate float64
	// MaxDelay bounds Delay, Stall and Retry-After. Zero means ten seconds.
	MaxDelay time.Duration
	// Restart lets the server also restart with a new history, like API.Restart. Once the new history has
	// as many versions as the old one, a client can't tell them apart: only a list shows the changes that
	// it missed.
	Restart bool
	// If reports whether a request may meet a fault. Nil means any request. It must not call the API.
	If func(Request, Fault) bool
}

// FailRandomly injects random faults into lists and watches that meet no scripted fault, until ClearFaults.
func (a *engine) FailRandomly(c Chaos) {
	a.mu.Lock()
	defer a.mu.Unlock()
	c.Rate = cmp.Or(c.Rate, 0.5)
	c.MaxDelay = cmp.Or(c.MaxDelay, 10*time.Second)
	a.chaos = &chaos{Chaos: c, api: a}
}

// chaos is the state of a Chaos that is active.
type chaos struct {
	Chaos
	api      *engine
	requests uint64
}

// meet returns the fault that the next request meets, or the zero value for none. It may be called on nil.
func (c *chaos) meet(r Request) Fault {
	if c == nil || !slices.Contains([]Verb{List, Watch, WatchList}, r.Verb) {
		return Fault{}
	}
	random := rand.New(rand.NewPCG(c.Seed, c.requests))
	c.requests++
	if random.Float64() >= c.Rate {
		return Fault{}
	}
	fault := c.fault(random)
	if c.If != nil && !c.If(r, fault) {
		return Fault{}
	}
	return fault
}

// fault returns a random fault.
func (c *chaos) fault(random *rand.Rand) Fault {
	f := Fault{Opened: random.IntN(2) == 0}
	if random.IntN(2) == 0 {
		f.After = random.IntN(5)
	}
	kinds := 13
	if c.Restart {
		kinds++
	}
	switch random.IntN(kinds) {
	case 0, 1:
		f.Err = c.status(random)
	case 2:
		f = Fault{Err: ErrConnectionRefused}
	case 3:
		f.Err = ErrConnectionReset
	case 4:
		f.Err = io.EOF
	case 5:
		f.Err = ErrTruncated
	case 6:
		f.Err = ErrGarbled
	case 7:
		f.Hang = true
	case 8:
		f.Delay = c.time(random)
	case 9:
		f.Stall = c.time(random)
	case 10:
		f.After = 1 + random.IntN(5)
		f.Repeat = 1 + random.IntN(f.After)
	case 11:
		f.Shuffle = 1 + random.Uint64()>>1
		f.LoseBookmarks = random.IntN(2) == 0
	case 12:
		f.Do = c.api.Compact
	case 13:
		f.Do = c.api.Restart
	}
	return f
}

func (c *chaos) status(random *rand.Rand) error {
	codes := []int{
		http.StatusForbidden, http.StatusNotFound, http.StatusGone, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}
	code := codes[random.IntN(len(codes))]
	if code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable {
		return StatusRetryAfter(code, int(c.time(random)/time.Second))
	}
	return Status(code)
}

// time returns a random time, positive and at most MaxDelay.
func (c *chaos) time(random *rand.Rand) time.Duration {
	return 1 + time.Duration(random.Int64N(int64(c.MaxDelay)))
}
