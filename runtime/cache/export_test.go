package cache

import (
	"math/rand/v2"
	"sync"
)

// AtUnlock has f called when the store of an informer that has not been started is about to
// be unlocked.
func AtUnlock[T any](i *Informer[T], f func()) {
	i.store.core.mu.Observe = func(locked bool) {
		if !locked {
			f()
		}
	}
}

// SeedJitter makes the jitter of an informer that has not been started depend on a seed
// alone.
func SeedJitter[T any](i *Informer[T], seed uint64) {
	i.options.random = rand.New(&lockedSource{source: rand.NewPCG(seed, 0)})
}

// lockedSource is a source for several goroutines.
type lockedSource struct {
	mu     sync.Mutex
	source rand.Source
}

func (s *lockedSource) Uint64() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.source.Uint64()
}

// ForgetShortStale has the next check with a time that is too short warn again.
func ForgetShortStale() { warnOfShortStale = sync.Once{} }
