//go:build !before35

package ecosystem

// queuesEnd is the time for which goroutines of work queues remain after these were shut down.
const queuesEnd = 0
