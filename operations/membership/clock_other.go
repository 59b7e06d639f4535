//go:build !linux

package membership

import "time"

// sinceBoot returns zero: nothing shows that the machine was suspended.
func sinceBoot() time.Duration { return 0 }
