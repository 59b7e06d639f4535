package cache

import (
	"time"

	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
)

// NewFIFO returns an empty queue that has the latest state of each object.
func NewFIFO(keyFunc KeyFunc) *FIFO { return cache.NewFIFO(keyFunc) }

// NewDeltaFIFO returns an empty queue that has the changes of each object.
//
// Deprecated: use NewDeltaFIFOWithOptions.
func NewDeltaFIFO(keyFunc KeyFunc, knownObjects KeyListerGetter) *DeltaFIFO {
	return NewDeltaFIFOWithOptions(DeltaFIFOOptions{KeyFunction: keyFunc, KnownObjects: knownObjects})
}

// NewDeltaFIFOWithOptions returns an empty queue that has the changes of each object.
func NewDeltaFIFOWithOptions(opts DeltaFIFOOptions) *DeltaFIFO {
	return cache.NewDeltaFIFOWithOptions(opts)
}

// NewTTLStore returns an empty store whose objects expire.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store { return cache.NewTTLStore(keyFunc, ttl) }

// NewExpirationStore returns an empty store whose objects expire as the policy says.
func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return cache.NewExpirationStore(keyFunc, expirationPolicy)
}

// NewFakeExpirationStore returns an empty store whose objects expire by a clock, and that
// sends the keys that it deletes.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, cacheClock clock.Clock) Store {
	return cache.NewFakeExpirationStore(keyFunc, deletedKeys, expirationPolicy, cacheClock)
}
