package cache

import (
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// ExpirationCache is a Store whose objects expire. One that has is gone when it is
// looked for: by Get, GetByKey and List, not by ListKeys. It is safe for concurrent
// use.
type ExpirationCache struct {
	key    KeyFunc
	clock  clock.Clock
	policy ExpirationPolicy
	// expired is called with the keys of expired objects, if it is not nil.
	expired chan<- string

	// mu is held by writers, and from the look at an object's age until it is gone.
	mu sync.Mutex
	// store holds a *TimestampedEntry for each object.
	store ThreadSafeStore
}

var _ Store = (*ExpirationCache)(nil)

// NewTTLStore returns an empty store that keeps objects for some time after they
// were last written.
func NewTTLStore(keyFunc KeyFunc, ttl time.Duration) Store {
	return NewExpirationStore(keyFunc, &TTLPolicy{TTL: ttl, Clock: clock.RealClock{}})
}

// NewExpirationStore returns an empty store that keeps objects until the policy
// says that they have expired.
func NewExpirationStore(keyFunc KeyFunc, expirationPolicy ExpirationPolicy) Store {
	return NewFakeExpirationStore(keyFunc, nil, expirationPolicy, clock.RealClock{})
}

// NewFakeExpirationStore returns an empty store with a clock of its own that sends
// the keys of what has expired to deletedKeys, if that is not nil.
func NewFakeExpirationStore(keyFunc KeyFunc, deletedKeys chan<- string, expirationPolicy ExpirationPolicy, cacheClock clock.Clock) Store {
	return &ExpirationCache{
		key:     keyFunc,
		clock:   cacheClock,
		policy:  expirationPolicy,
		expired: deletedKeys,
		store:   NewThreadSafeStore(Indexers{}, Indices{}),
	}
}

// Add makes an object, which is as old as the call, that of its key. Possible
// errors: KeyError.
func (c *ExpirationCache) Add(obj any) error {
	key, err := c.key(obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.Add(key, &TimestampedEntry{Obj: obj, Timestamp: c.clock.Now()})
	return nil
}

// Update is Add.
func (c *ExpirationCache) Update(obj any) error { return c.Add(obj) }

// Delete removes the object of that key. Possible errors: KeyError.
func (c *ExpirationCache) Delete(obj any) error {
	key, err := c.key(obj)
	if err != nil {
		return KeyError{Obj: obj, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.DeleteWithObject(key, obj)
	return nil
}

// Replace makes a list, which is as old as the call, the content. Possible errors:
// KeyError, and then nothing has changed.
func (c *ExpirationCache) Replace(list []any, resourceVersion string) error {
	entries := make(map[string]any, len(list))
	now := c.clock.Now()
	for _, obj := range list {
		key, err := c.key(obj)
		if err != nil {
			return KeyError{Obj: obj, Err: err}
		}
		entries[key] = &TimestampedEntry{Obj: obj, Timestamp: now}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.store.Replace(entries, resourceVersion)
	return nil
}

// Get returns the object of that key. Possible errors: KeyError.
func (c *ExpirationCache) Get(obj any) (item any, exists bool, err error) {
	key, err := c.key(obj)
	if err != nil {
		return nil, false, KeyError{Obj: obj, Err: err}
	}
	return c.GetByKey(key)
}

// GetByKey returns the object of that key. There is no error.
func (c *ExpirationCache) GetByKey(key string) (item any, exists bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	item, exists = c.getLocked(key)
	return item, exists, nil
}

// List returns the objects, in no order.
func (c *ExpirationCache) List() []any {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []any{}
	for _, key := range c.store.ListKeys() {
		if obj, exists := c.getLocked(key); exists {
			list = append(list, obj)
		}
	}
	return list
}

// getLocked returns the object of that key, unless it has expired: then it goes.
func (c *ExpirationCache) getLocked(key string) (any, bool) {
	item, exists := c.store.Get(key)
	if !exists {
		return nil, false
	}
	entry := item.(*TimestampedEntry)
	if !c.policy.IsExpired(entry) {
		return entry.Obj, true
	}
	c.store.Delete(key)
	if c.expired != nil {
		c.expired <- key
	}
	return nil, false
}

// ListKeys returns the keys, also of what has expired and was not looked for.
func (c *ExpirationCache) ListKeys() []string { return c.store.ListKeys() }

// Resync does nothing.
func (c *ExpirationCache) Resync() error { return nil }

// Bookmark notes a resourceVersion that the store has taken in.
func (c *ExpirationCache) Bookmark(rv string) { c.store.Bookmark(rv) }

// LastStoreSyncResourceVersion returns the resourceVersion of the last list, deleted
// object or bookmark.
func (c *ExpirationCache) LastStoreSyncResourceVersion() string {
	return c.store.LastStoreSyncResourceVersion()
}
