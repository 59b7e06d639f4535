package chaos

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Kind is a kind of fault.
type Kind uint8

const (
	// Cut closes the connection, which other requests may share.
	Cut Kind = iota
	// Reset closes the connection with a TCP reset.
	Reset
	// Abort resets the HTTP/2 stream of the request. In HTTP/1.1 it is Cut.
	Abort
	// HalfOpen lets no more bytes pass, while the connection stays.
	HalfOpen
	// Delay delays everything for a while.
	Delay
	// Status answers with a failure of the API server, or puts it into the
	// watch as an event of type ERROR, and ends that.
	Status
	// Page answers with a page of HTML, as a load balancer or a portal does.
	Page
	// End ends a watch normally, between two events.
	End
	// Truncate ends the response normally, in the middle of a value.
	Truncate
	// Garble zeroes some bytes, which no JSON is valid with.
	Garble
	// Duplicate sends an event twice.
	Duplicate
	// DropBookmark leaves out a bookmark, also the one that closes the initial
	// events of a watch-list.
	DropBookmark
	// kindCount is the number of kinds.
	kindCount
)

// point is where in an exchange a fault happens.
type point uint8

const (
	// atRequest is before the first byte of the answer.
	atRequest point = 1 << iota
	// inList is a part of the body of a list.
	inList
	// inWatch is a watch event.
	inWatch
	// atBookmark is a watch event that is a bookmark.
	atBookmark
)

const anywhere = atRequest | inList | inWatch

// kinds says where each kind may happen, and how often compared to the others.
var kinds = [kindCount]struct {
	name   string
	at     point
	weight int
}{
	Cut:          {"cut", anywhere, 2},
	Reset:        {"reset", anywhere, 2},
	Abort:        {"abort", anywhere, 2},
	HalfOpen:     {"half-open", anywhere, 1},
	Delay:        {"delay", anywhere, 4},
	Status:       {"status", atRequest | inWatch, 6},
	Page:         {"page", atRequest, 1},
	End:          {"end", inWatch, 2},
	Truncate:     {"truncate", inList | inWatch, 3},
	Garble:       {"garble", inList | inWatch, 3},
	Duplicate:    {"duplicate", inWatch, 4},
	DropBookmark: {"drop bookmark", atBookmark, 1},
}

// String returns the name of the kind.
func (k Kind) String() string { return kinds[k].name }

// Rates say how likely faults are, from 0 to 1. The zero value is none.
type Rates struct {
	// Request is for each request, List for each read of at most 4 KiB of a
	// list, and Frame for each watch event; Bookmark is for each bookmark,
	// in its place.
	Request, List, Frame, Bookmark float64
	// Kinds are the only ones that happen, if there are any.
	Kinds []Kind
	// Delay is the longest that a Delay takes. It defaults to 200 milliseconds.
	Delay time.Duration
	// HalfOpen is after how long a connection without bytes is closed. It
	// defaults to never.
	HalfOpen time.Duration
}

func (r *Rates) of(at point) float64 {
	switch at {
	case atRequest:
		return r.Request
	case inList:
		return r.List
	case inWatch:
		return r.Frame
	default:
		return r.Bookmark
	}
}

// draw decides whether a fault happens, and which.
func (r *Rates) draw(random *rand.Rand, at point) (Kind, bool) {
	if random.Float64() >= r.of(at) {
		return 0, false
	}
	var possible []Kind
	for kind := range kindCount {
		if kinds[kind].at&at == 0 || len(r.Kinds) > 0 && !slices.Contains(r.Kinds, kind) {
			continue
		}
		for range kinds[kind].weight {
			possible = append(possible, kind)
		}
	}
	if len(possible) == 0 {
		return 0, false
	}
	return possible[random.IntN(len(possible))], true
}

// garbled is a copy of part with a run of zeros in it.
func garbled(random *rand.Rand, part []byte) []byte {
	part = slices.Clone(part)
	at := random.IntN(len(part))
	clear(part[at:min(len(part), at+1+random.IntN(16))])
	return part
}
