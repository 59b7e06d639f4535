package factory

// What tests outside the package look at.
const (
	NoObjects     = noObjects
	StuckAttempts = stuckAttempts
)

var Selecting = selecting

// Leaving returns how many informers were released and have not ended.
func (r *registry) Leaving() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.leaving)
}
