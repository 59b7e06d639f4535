package membership

import (
	"encoding/json"
	"fmt"
	"time"
)

// Phase is what a member is doing.
type Phase string

const (
	// Stopped is before and after Run.
	Stopped Phase = "stopped"
	// Joining is until the Leases of the group have been read, and it names its Lease.
	Joining Phase = "joining"
	// Active is while it may own ranges.
	Active Phase = "active"
	// Expired is while it may not act, since its Lease was not renewed in time.
	Expired Phase = "expired"
	// Leaving is while it hands everything over.
	Leaving Phase = "leaving"
)

// Status is what a member is doing, for people and for readiness probes. It marshals into
// JSON.
type Status struct {
	Group    string `json:"group"`
	Identity string `json:"identity"`
	// Lease is the name of its Lease.
	Lease string `json:"lease,omitempty"`
	Phase Phase  `json:"phase"`
	// Waiting is why it owns nothing yet.
	Waiting string `json:"waiting,omitempty"`
	// Owned is the ranges it may act on, Gaining those that others have yet to hand over,
	// Losing those that it has to hand over.
	Owned   RangesStatus `json:"owned"`
	Gaining RangesStatus `json:"gaining"`
	Losing  RangesStatus `json:"losing"`
	// Working is how much work is running, of Begin.
	Working int `json:"working"`
	// Unowned is the fraction of all hashes that nobody owns.
	Unowned float64 `json:"unowned"`
	// Epoch is how often owners were written.
	Epoch int64 `json:"epoch"`
	// Members are the members of the group, by the names of their Leases.
	Members []MemberStatus `json:"members,omitempty"`
	// Renewed is when the Lease was renewed last.
	Renewed time.Time `json:"renewed,omitzero"`
	// Failures counts the requests that failed, and LastError is the last one's error, at
	// LastFailure.
	Failures    int       `json:"failures"`
	LastError   error     `json:"-"`
	LastFailure time.Time `json:"lastFailure,omitzero"`
}

// RangesStatus is a set of ranges, as shard.Ranges.String returns it, and the fraction of all
// hashes in it.
type RangesStatus struct {
	Ranges   string  `json:"ranges"`
	Fraction float64 `json:"fraction"`
}

// MemberStatus is a member as this one sees it.
type MemberStatus struct {
	Identity string `json:"identity"`
	Lease    string `json:"lease"`
	// Owned is the fraction of all hashes that it owns, and Target what it should own.
	Owned  float64 `json:"owned"`
	Target float64 `json:"target"`
	// Unchanged is for how long its Lease was seen to be the same.
	Unchanged time.Duration `json:"unchanged"`
	Leaving   bool          `json:"leaving,omitempty"`
	Expired   bool          `json:"expired,omitempty"`
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
	s := m.status
	s.Working = len(m.permits)
	if lapsed := m.lapsedLocked(); lapsed {
		s.Owned = newRangesStatus(nil)
		if s.Phase == Active {
			s.Phase = Expired
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
