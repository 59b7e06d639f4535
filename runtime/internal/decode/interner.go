package decode

import (
	"hash/maphash"
	"sync"
)

const (
	// longestString is the length of the longest shared string. Names are shared, texts are not.
	longestString = 128
	// internedStrings is the number of strings that an interner knows. They take 32 KB.
	internedStrings = 1 << 11
	// After judgedStrings an interner judges its use: if it has found less than one of eight, it ignores
	// the next ignoredStrings.
	judgedStrings  = 1 << 9
	ignoredStrings = 1 << 12
)

// interner finds strings by their bytes. If several strings have the same place, it knows the latest. Only
// one goroutine uses it, since taking a lock for each string would cost more than allocating the string.
type interner struct {
	table                  [internedStrings]string
	found, missed, ignored int
}

// interners has as many of them as goroutines decode at the same time. They become garbage when nothing was
// decoded for a while.
var interners = sync.Pool{New: func() any { return new(interner) }}

var internerSeed = maphash.MakeSeed()

// string returns text as a string. It returns an earlier string if it knows an equal one.
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
