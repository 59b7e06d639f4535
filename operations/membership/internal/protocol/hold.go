package protocol

import (
	"strconv"
	"strings"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
)

// Hold is an acquisition of a slot by this process.
type Hold struct {
	id       string
	attempts int
	// wait reports whether the slot was not seen given up, so that others may yet act on it.
	wait bool
	// written reports whether the slot was written since the member may act.
	written bool
	// ripe is when this member may act on the slot, 0 if it was not acquired yet.
	ripe time.Duration
}

// NewHold returns the hold of a slot that is to be acquired.
func NewHold(wait bool) *Hold { return &Hold{id: random(), wait: wait} }

// Attempt returns the text of another acquisition, which differs for each write.
func (h *Hold) Attempt() string {
	h.attempts++
	return h.acquisition()
}

func (h *Hold) acquisition() string { return h.id + "." + strconv.Itoa(h.attempts) }

// Made reports whether a slot shows this acquisition.
func (h *Hold) Made(lease *coordinationv1.Lease) bool {
	return h != nil && lease != nil && strings.HasPrefix(lease.Annotations[AnnotationAcquisition], h.id+".")
}

// Acquire notes that the slot was written.
func (h *Hold) Acquire(g Group, now time.Duration) (first bool) {
	h.written = true
	if h.ripe > 0 {
		return false
	}
	h.ripe = now
	if h.wait {
		h.ripe += g.DeadAfter()
	}
	return true
}

// Suspend requires that the slot is written again, since others may have acquired it meanwhile.
func (h *Hold) Suspend() { h.written = false }

// Acquired reports whether the slot was acquired.
func (h *Hold) Acquired() bool { return h.ripe > 0 }

// Acts reports whether nobody else acts on the slot, if the member may act.
func (h *Hold) Acts(now time.Duration) bool { return h.written && h.isRipe(now) }

// isRipe reports whether nobody else acts by an acquisition before this one.
func (h *Hold) isRipe(now time.Duration) bool { return h.ripe > 0 && now >= h.ripe }
