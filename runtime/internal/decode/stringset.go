package decode

import (
	"hash/maphash"
	"sync"
)

const (
	// longestString is the length of the longest string that is shared: names, not texts.
	longestString = 128
	// Tables of strings grow as those of parts do. All of one client take 256 KB in the
	// end, and 2 MB if all their strings are as long as can be.
	leastStrings, mostStrings = 1 << 6, 1 << 10
)

// stringSet finds strings by their bytes: the latest of those that share a place.
type stringSet struct {
	seed   maphash.Seed
	shards [shards]stringShard
}

type stringShard struct {
	mu         sync.Mutex
	table      []string
	collisions int

	_ [24]byte // no two shards in one cache line
}

// get returns text as a string, one that it has returned before if it can.
func (s *stringSet) get(text []byte) string {
	if len(text) == 0 || len(text) > longestString {
		return string(text)
	}
	hash := maphash.Bytes(s.seed, text)
	return s.shards[hash%shards].get(s.seed, text, hash)
}

func (s *stringShard) get(seed maphash.Seed, text []byte, hash uint64) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.collisions >= len(s.table) && len(s.table) < mostStrings {
		s.grow(seed)
	}
	place := s.place(hash)
	if *place == string(text) {
		return *place
	}
	if *place != "" {
		s.collisions++
	}
	*place = string(text)
	return *place
}

func (s *stringShard) place(hash uint64) *string { return &s.table[int(hash>>8)%len(s.table)] }

func (s *stringShard) grow(seed maphash.Seed) {
	old := s.table
	s.table, s.collisions = make([]string, max(4*len(old), leastStrings)), 0
	for _, known := range old {
		*s.place(maphash.String(seed, known)) = known
	}
}
