package decode

import (
	"hash/maphash"
	"sync"
)

const (
	// shards is how many tables there are, each with a lock: as a rule no goroutine waits
	// for another.
	shards = 16
	// ways is how many entries of a table a part may be in.
	ways = 4
	// Tables grow as they are used, from the least number of entries to the most. All
	// of one client take 2.5 MB in the end.
	leastParts, mostParts = 1 << 5, 1 << 11
	leastSeen, mostSeen   = 1 << 6, 1 << 14
	// minimumPart is the length of the shortest text that is looked up: a shorter one is
	// decoded in the same time.
	minimumPart = 32
)

// parts finds parts by their type and text. Those that were seen once are only
// remembered by a fingerprint: most of them never come again, and to hold a part costs
// more than to decode it.
type parts struct {
	seeds  [2]maphash.Seed
	shards [shards]partShard
}

type partShard struct {
	mu sync.Mutex
	// entries are in groups of ways.
	entries []entry
	// oldest is the way that is overwritten next, and evicted how many entries were
	// since the table has grown.
	oldest, evicted int
	// seen has a fingerprint of each part that was looked up and not found, the latest
	// of those that share a place; collisions counts those that were overwritten.
	seen       []uint32
	collisions int

	_ [32]byte // no two shards in one cache line
}

type entry struct {
	identity
	weakPart
}

// identity tells parts apart.
type identity struct {
	of     *node
	format format
	length int
	hashes [2]uint64
}

// format is what a text is written in.
type format byte

const formatJSON format = 1

// lookup is the search for a part.
type lookup struct {
	identity
	// again is whether a part that was not found had been seen before: then it is to be
	// added once it is decoded.
	again bool
}

// find returns the part of that type and text, if there is one.
func (p *parts) find(of *node, format format, text []byte) (part, lookup, bool) {
	l := lookup{identity: identity{of: of, format: format, length: len(text)}}
	l.hashes[0] = maphash.Bytes(p.seeds[0], text) ^ of.id ^ uint64(format)
	s := p.shard(&l.identity)
	s.mu.Lock()
	defer s.mu.Unlock()
	group := s.group(l.hashes[0])
	for i := range group {
		e := &group[i]
		if e.of != of || e.hashes[0] != l.hashes[0] || e.length != len(text) || e.format != format {
			continue
		}
		l.again = true
		l.hashes[1] = maphash.Bytes(p.seeds[1], text)
		if e.hashes[1] != l.hashes[1] {
			continue
		}
		found, ok := e.strong()
		return found, l, ok
	}
	if !l.again && s.sawBefore(l.hashes[0]) {
		l.again = true
	}
	if l.again && l.hashes[1] == 0 {
		l.hashes[1] = maphash.Bytes(p.seeds[1], text)
	}
	return part{}, l, false
}

// add adds a part that was not found.
func (p *parts) add(l *lookup, found part) {
	s := p.shard(&l.identity)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.grow()
	group := s.group(l.hashes[0])
	place := -1
	for i := range group {
		if group[i].of == nil || group[i].identity == l.identity || group[i].at.Value() == nil {
			place = i
			break
		}
	}
	if place < 0 {
		s.oldest = (s.oldest + 1) % ways
		s.evicted++
		place = s.oldest
	}
	group[place] = entry{l.identity, found.weak()}
}

// The lowest bits of a hash choose the shard, others the place in it.
func (p *parts) shard(i *identity) *partShard { return &p.shards[i.hashes[0]%shards] }

func (s *partShard) group(hash uint64) []entry {
	if len(s.entries) == 0 {
		return nil
	}
	first := int(hash>>8) % (len(s.entries) / ways) * ways
	return s.entries[first : first+ways]
}

// grow makes room if too many entries are overwritten that are still in use.
func (s *partShard) grow() {
	if len(s.entries) > 0 && (s.evicted < len(s.entries) || len(s.entries) == mostParts) {
		return
	}
	old := s.entries
	s.entries = make([]entry, max(2*len(old), leastParts))
	s.evicted = 0
	for _, e := range old {
		if e.of == nil {
			continue
		}
		group := s.group(e.hashes[0])
		for i := range group {
			if group[i].of == nil {
				group[i] = e
				break
			}
		}
	}
}

// sawBefore notes a hash, and reports whether it was noted before.
func (s *partShard) sawBefore(hash uint64) bool {
	if s.collisions >= len(s.seen) && len(s.seen) < mostSeen {
		// What was seen is forgotten: to remember where it belongs would take twice the
		// memory.
		s.seen, s.collisions = make([]uint32, max(4*len(s.seen), leastSeen)), 0
	}
	place := &s.seen[int(hash>>8)%len(s.seen)]
	fingerprint := uint32(hash>>32) | 1
	switch *place {
	case fingerprint:
		return true
	case 0:
	default:
		s.collisions++
	}
	*place = fingerprint
	return false
}
