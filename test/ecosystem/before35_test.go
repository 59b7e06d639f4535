//go:build before35

package ecosystem

import "time"

// queuesEnd is the time for which goroutines of work queues remain after these were shut down.
const queuesEnd = time.Second
