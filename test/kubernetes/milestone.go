package main

import (
	"context"
	"errors"
	"time"
)

// milestone is a state that the cluster must reach.
type milestone struct {
	name  string
	after time.Duration // until it was reached, or given up
	err   error         // what was missing when it was given up
}

// milestones takes the time of each.
type milestones struct {
	list  []milestone
	since time.Time // when what the next ones wait for was done
}

// milestoneTimeout limits the wait for a milestone.
const milestoneTimeout = 5 * time.Minute

// from makes the times of what follows count from now.
func (m *milestones) from() { m.since = time.Now() }

// await waits until reached is no error, and notes how long that took since
// from. One that is not reached is noted too, and the run goes on.
func (m *milestones) await(ctx context.Context, name string, reached func(context.Context) error) {
	waiting, cancel := context.WithTimeout(ctx, milestoneTimeout)
	defer cancel()
	missing := errors.New("no answer in time")
	for waiting.Err() == nil {
		// What is missing at the end is worth more than that the time was up.
		err := reached(waiting)
		if err == nil || waiting.Err() == nil {
			missing = err
		}
		if err == nil {
			break
		}
		sleep(waiting, 100*time.Millisecond)
	}
	if ctx.Err() != nil {
		return
	}
	done := milestone{name: name, after: time.Since(m.since), err: missing}
	m.list = append(m.list, done)
	if missing != nil {
		say("NOT REACHED: %s: %v", name, missing)
	} else {
		say("%6.1fs  %s", done.after.Seconds(), name)
	}
}
