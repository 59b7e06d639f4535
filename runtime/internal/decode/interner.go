package decode

import (
	"hash/maphash"
	"sync"
)

const (
	// longestString is the length of the longest string that is shared: names, not texts.
	longestString = 128
	// internedStrings is the number of strings that an interner knows, of 32 KB.
	internedStrings = 1 << 11
	// judgedStrings show an interner whether it is of use: if it finds less than one of eight,
	// it stands aside for the next ignoredStrings.
	judgedStrings  = 1 << 9
	ignoredStrings = 1 << 12
)

// interner finds strings by their bytes: the latest of those that share a place. It is for
// one goroutine: to take a lock for each string would cost more than to make it.
type interner struct {
	table                  [internedStrings]string
	found, missed, ignored int
}

// interners has as many of them as goroutines decode at the same time. They are garbage when
// nobody has decoded for a while.
var interners = sync.Pool{New: func() any { return new(interner) }}

var internerSeed = maphash.MakeSeed()

// string returns text as a string, one that it has returned before if it can.
func (s *interner) string(text []byte) string {
	if s == nil || len(text) == 0 || len(text) > longestString {
		return string(text)
	}
	if s.ignored > 0 {
		s.ignored--
		return string(text)
	}
	place := &s.table[maphash.Bytes(internerSeed, text)%internedStrings]
	if *place == string(text) {
		s.found++
		return *place
	}
	*place = string(text)
	if s.missed++; s.found+s.missed >= judgedStrings {
		if 8*s.found < s.missed {
			s.ignored = ignoredStrings
		}
		s.found, s.missed = 0, 0
	}
	return *place
}
