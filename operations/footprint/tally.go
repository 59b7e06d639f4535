package footprint

import "iter"

// tally counts each allocation once, however often it is met, with memory for limit of them. If there are
// more, it keeps a sample.
//
// The probability that an allocation is in the sample is proportional to its bytes and the bytes of
// everything that it refers to. In the sample, it counts for as many allocations as it represents. The
// choice depends on the address, so that it is the same each time that the allocation is met. A large
// allocation is always in the sample, and so is never walked twice.
type tally struct {
	limit int
	// met holds the allocations of the sample by their address.
	met map[uintptr]allocation
	// threshold is the number of bytes from which on an allocation is certainly in the sample. It doubles
	// when the sample is full.
	threshold float64
}

type allocation struct {
	// own is the allocation's size, and all that size with everything that it refers to.
	own, all int64
	// path is the index of the path where it was met first.
	path int
}

// firstThreshold is less than the average size of the smallest allocations.
const firstThreshold = 16

// add counts an allocation that find did not find.
func (t *tally) add(address uintptr, a allocation) {
	if !t.samples(address, a.all) {
		return
	}
	t.met[address] = a
	for len(t.met) > t.limit {
		t.threshold = max(firstThreshold, 2*t.threshold)
		for address, a := range t.met {
			if !t.samples(address, a.all) {
				delete(t.met, address)
			}
		}
	}
}

// samples decides whether an allocation is in the sample.
func (t *tally) samples(address uintptr, all int64) bool {
	return draw(address)*t.threshold <= float64(all)
}

// counted returns, for each allocation of the sample, its path and the bytes that it represents.
func (t *tally) counted() iter.Seq2[int, float64] {
	return func(yield func(path int, bytes float64) bool) {
		for _, a := range t.met {
			weight := max(1, t.threshold/float64(a.all))
			if !yield(a.path, weight*float64(a.own)) {
				return
			}
		}
	}
}

// draw returns a number from 0 to 1 that depends on an address and looks random.
func draw(address uintptr) float64 {
	h := uint64(address)
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	h ^= h >> 33
	return float64(h>>11) / (1 << 53)
}
