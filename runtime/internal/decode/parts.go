package decode

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// shards is the number of tables. Each has a lock, so that goroutines rarely wait for each other.
	shards = 16
	// ways is the number of places of a table in which a part may be.
	ways = 4
	// Tables grow with their use, from the least number of places to the most. In the end the tables of one
	// client take 3 MB.
	leastParts, mostParts = 1 << 5, 1 << 11
	leastSeen, mostSeen   = 1 << 6, 1 << 14
	// minimumPart is the length of the shortest text that is looked up: a shorter one is decoded in the
	// same time. A struct can share only the memory that it refers to. That must be worth a copy.
	minimumPart, minimumStruct = 16, 128
)

// Shared finds parts that were decoded before, by their type and text. A part that was seen once is only
// remembered by a fingerprint: most of them never come again, and holding a part costs more than decoding
// it. A part that was never seen needs no lock. It is safe for concurrent use.
type Shared struct {
	seeds  [2]maphash.Seed
	shards [shards]partShard

	reused, saved atomic.Uint64
}

// NewShared returns an empty Shared.
func NewShared() *Shared {
	return &Shared{seeds: [...]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}}
}

// Saved returns how many parts were found instead of decoded, and the total length of their texts in bytes.
func (s *Shared) Saved() (parts, bytes uint64) { return s.reused.Load(), s.saved.Load() }

type partShard struct {
	mu    sync.Mutex
	table atomic.Pointer[partTable]
	// oldest is the way that is overwritten next. evicted counts the parts that were overwritten since the
	// table has grown. mu guards both.
	oldest, evicted int
	// collisions counts the fingerprints that were overwritten since seen has grown.
	collisions atomic.Int32

	_ [32]byte // no two shards in one cache line
}

// partTable is the memory of a shard. A larger one replaces it.
type partTable struct {
	// entries are in groups of ways. They are guarded by the shard's mu.
	entries []entry
	// tags are parts of the entries' hashes. They can be read without a lock. 0 is no entry.
	tags []atomic.Uint32
	// seen has a fingerprint of each part that was looked up and not found. If several have the same place,
	// it has the latest.
	seen []atomic.Uint32
}

type entry struct {
	identity
	weakPart
}

// identity identifies a part.
type identity struct {
	of     *node
	format format
	length int
	hashes [2]uint64
}

// format is the encoding of a text.
type format byte

const formatJSON format = 1

// lookup is the search for a part.
type lookup struct {
	identity
	// again reports whether a part that was not found had been seen before: then it is added once it is
	// decoded.
	again bool
}

// find returns the part with a type and text, if there is one.
func (s *Shared) find(of *node, format format, text []byte) (found part, l lookup, ok bool) {
	l.identity = identity{of: of, format: format, length: len(text)}
	l.hashes[0] = maphash.Bytes(s.seeds[0], text) ^ of.id ^ uint64(format)
	shard := s.shard(&l.identity)
	t := shard.load()
	mayBe := t.hasTag(l.hashes[0])
	if l.again = mayBe || shard.sawBefore(t, l.hashes[0]); l.again {
		l.hashes[1] = maphash.Bytes(s.seeds[1], text)
	}
	if mayBe {
		found, ok = shard.find(&l.identity)
	}
	return found, l, ok
}

// shard returns the shard of a part. The lowest bits of a hash choose the shard, other bits the place in
// it, and the highest bits distinguish the parts of one place.
func (s *Shared) shard(i *identity) *partShard { return &s.shards[i.hashes[0]%shards] }

func (s *partShard) load() *partTable {
	if t := s.table.Load(); t != nil {
		return t
	}
	s.table.CompareAndSwap(nil, newPartTable(leastParts, make([]atomic.Uint32, leastSeen)))
	return s.table.Load()
}

func newPartTable(size int, seen []atomic.Uint32) *partTable {
	return &partTable{entries: make([]entry, size), tags: make([]atomic.Uint32, size), seen: seen}
}

// group returns the first of the places in which a part may be.
func (t *partTable) group(hash uint64) int { return int(hash>>8%uint64(len(t.entries)/ways)) * ways }

func tagOf(hash uint64) uint32 { return uint32(hash>>32) | 1 }

func (t *partTable) hasTag(hash uint64) bool {
	first, tag := t.group(hash), tagOf(hash)
	for i := range ways {
		if t.tags[first+i].Load() == tag {
			return true
		}
	}
	return false
}

// find returns the part with an identity, if it is there.
func (s *partShard) find(i *identity) (part, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.table.Load()
	first := t.group(i.hashes[0])
	for _, e := range t.entries[first : first+ways] {
		if e.identity == *i {
			return e.strong()
		}
	}
	return part{}, false
}

// sawBefore notes a hash, and reports whether it was noted before.
func (s *partShard) sawBefore(t *partTable, hash uint64) bool {
	place, fingerprint := &t.seen[hash>>8%uint64(len(t.seen))], tagOf(hash)
	switch place.Load() {
	case fingerprint:
		return true
	case 0:
	default:
		if len(t.seen) < mostSeen && int(s.collisions.Add(1)) >= len(t.seen) {
			s.growSeen()
		}
	}
	place.Store(fingerprint)
	return false
}

// growSeen makes room for more fingerprints. It forgets the present ones: remembering where they belong
// would take twice the memory.
func (s *partShard) growSeen() {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := *s.table.Load()
	if int(s.collisions.Load()) < len(t.seen) {
		return // another goroutine has done it
	}
	t.seen = make([]atomic.Uint32, 4*len(t.seen))
	s.table.Store(&t)
	s.collisions.Store(0)
}

// add adds a part that was not found.
func (s *Shared) add(l *lookup, found part) {
	shard := s.shard(&l.identity)
	shard.mu.Lock()
	defer shard.mu.Unlock()
	t := shard.load()
	if shard.evicted >= len(t.entries) && len(t.entries) < mostParts {
		t = t.grown()
		shard.table.Store(t)
		shard.evicted = 0
	}
	first := t.group(l.hashes[0])
	at := slices.IndexFunc(t.entries[first:first+ways], func(e entry) bool {
		return e.of == nil || e.identity == l.identity || e.at.Value() == nil
	})
	if at < 0 {
		shard.oldest = (shard.oldest + 1) % ways
		shard.evicted++
		at = shard.oldest
	}
	t.put(first+at, entry{l.identity, found.weak()})
}

func (t *partTable) put(at int, e entry) {
	t.entries[at] = e
	t.tags[at].Store(tagOf(e.hashes[0]))
}

// grown returns a table of twice the size with the same parts.
func (t *partTable) grown() *partTable {
	larger := newPartTable(2*len(t.entries), t.seen)
	for _, e := range t.entries {
		first := larger.group(e.hashes[0])
		free := slices.IndexFunc(larger.entries[first:first+ways], func(e entry) bool { return e.of == nil })
		if e.of != nil && free >= 0 {
			larger.put(first+free, e)
		}
	}
	return larger
}
