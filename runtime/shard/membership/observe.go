package membership

import "time"

// observations are for how long a member has seen each Lease unchanged.
type observations struct {
	last instant
	// of has the members, and the owners without a Lease.
	of map[string]observation
}

type observation struct {
	version string // of the Lease; "" if there is none
	waited  time.Duration
	// duration is that of the Lease.
	duration time.Duration
}

// add returns the observations after another read. At most so much of the time since the last
// one counts: see Options.maxObserved.
func (o observations) add(v view, now instant, atMost, duration time.Duration) observations {
	passed := min(max(now.sinceAtLeast(o.last), 0), atMost)
	next := observations{last: now, of: make(map[string]observation, len(v.peers))}
	see := func(session, version string, duration time.Duration) {
		seen := observation{version: version, duration: duration}
		if before, ok := o.of[session]; ok {
			seen.duration = max(duration, before.duration) // it may have been shortened
			if before.version == version {
				seen.waited = before.waited + passed
			}
		}
		next.of[session] = seen
	}
	for _, p := range v.peers {
		see(p.session, p.lease.ResourceVersion, p.duration)
		duration = max(duration, p.duration)
	}
	for session := range v.owners {
		if v.peer(session) == nil {
			see(session, "", duration)
		}
	}
	return next
}

// forget makes the wait for a Lease begin again: it was renewed, though that was not seen.
func (o observations) forget(session string) {
	seen := o.of[session]
	seen.waited = 0
	o.of[session] = seen
}

// waited is for how long the Lease of a session has not changed.
func (o observations) waited(session string) time.Duration { return o.of[session].waited }

// left is how long others have to wait for a Lease to be expired, zero or less if it is. All of
// the wait for one that was not seen yet is left.
func (o observations) left(session string, duration time.Duration) time.Duration {
	seen, ok := o.of[session]
	if ok {
		duration = seen.duration
	}
	return expireAfter(duration) - seen.waited
}
