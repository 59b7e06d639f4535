package membership

import (
	"encoding/json"
	"fmt"
	"time"
)

// Phase names what a member is doing.
type Phase string

const (
	// Stopped is before and after Run.
	Stopped Phase = "stopped"
	// Joining is until it has listed the Leases of the group and has renewed its life.
	Joining Phase = "joining"
	// Active is while it may own slots.
	Active Phase = "active"
	// Expired is while it may not act, since it could not renew its life or list the slots in time.
	Expired Phase = "expired"
	// Leaving is while it gives everything up.
	Leaving Phase = "leaving"
)

// Status says what a member is doing, for people and for readiness probes. It marshals into
// JSON.
type Status struct {
	Group         string        `json:"group"`
	Identity      string        `json:"identity"`
	LeaseDuration time.Duration `json:"leaseDuration"`
	// Lease is the name of its life.
	Lease string `json:"lease,omitempty"`
	Phase Phase  `json:"phase"`
	// Waiting is why it owns nothing.
	Waiting string `json:"waiting,omitempty"`
	// Owned are the slots that it may act on, Gaining those that it should own besides, Losing those that it has to give
	// up, and Unowned what nobody owns.
	Owned   SlotsStatus `json:"owned"`
	Gaining SlotsStatus `json:"gaining"`
	Losing  SlotsStatus `json:"losing"`
	Unowned SlotsStatus `json:"unowned"`
	// Slots is the number of slots.
	Slots int `json:"slots"`
	// Gained and Lost count the slots that it has acquired and given up or lost.
	Gained int `json:"gained"`
	Lost   int `json:"lost"`
	// Working counts the running works of Begin; HoldingUp those of them in slots that are
	// to be given up, and LongestHoldUp for how long the oldest of that has been running.
	Working       int           `json:"working"`
	HoldingUp     int           `json:"holdingUp"`
	LongestHoldUp time.Duration `json:"longestHoldUp"`
	// Members are the members of the group, by their identities.
	Members []MemberStatus `json:"members,omitempty"`
	// Renewed is when its life was renewed last, and Listed when the group was listed last.
	Renewed time.Time `json:"renewed,omitzero"`
	Listed  time.Time `json:"listed,omitzero"`
	// Failures counts the requests that failed, and LastError is the last one's error, at
	// LastFailure.
	Failures    int       `json:"failures"`
	LastError   error     `json:"-"`
	LastFailure time.Time `json:"lastFailure,omitzero"`
}

// SlotsStatus is a set of slots.
type SlotsStatus struct {
	Count int `json:"count"`
	// Since is when there was none of them last, zero if there is none.
	Since time.Time `json:"since,omitzero"`
	// Ranges are the ranges as shard.Ranges.String returns them, and Fraction the part of all
	// hashes in them.
	Ranges   string  `json:"ranges"`
	Fraction float64 `json:"fraction"`
}

// MemberStatus is a member as this one sees it.
type MemberStatus struct {
	Identity string `json:"identity"`
	Lease    string `json:"lease"`
	// Owned counts the slots that name it as their owner, and Target those that it should own.
	Owned  int `json:"owned"`
	Target int `json:"target"`
	// Unchanged is for how long its life was seen unchanged.
	Unchanged time.Duration `json:"unchanged"`
	State     string        `json:"state"`
}

// MarshalJSON adds the message of LastError.
func (s Status) MarshalJSON() ([]byte, error) {
	type fields Status
	text := ""
	if s.LastError != nil {
		text = s.LastError.Error()
	}
	return json.Marshal(struct {
		fields
		LastError string `json:"lastError,omitempty"`
	}{fields(s), text})
}

// fail records a request that failed.
func (s *Status) fail(what string, err error) {
	s.Failures++
	s.LastError = fmt.Errorf("%s: %w", what, err)
	s.LastFailure = time.Now()
}

// Status returns what this member is doing. Its slices must not be changed.
func (m *Member) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.checkLocked()
	s := m.status
	s.Working = len(m.permits)
	for p := range m.permits {
		if !m.acting.Contains(p.hash) {
			s.HoldingUp++
			s.LongestHoldUp = max(s.LongestHoldUp, m.clock.now()-p.began)
		}
	}
	if m.term.over && s.Phase != Stopped {
		s.Owned = newSlotsStatus(s.Owned, nil)
		if s.Phase == Active {
			s.Phase, s.Waiting = Expired, "life was not renewed or slots were not listed in time"
		}
	}
	return s
}

// report changes the status.
func (m *Member) report(change func(*Status)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.status)
}
