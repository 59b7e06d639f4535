// Package goroutines finds the goroutines that tests leave behind.
package goroutines

import (
	"bytes"
	"runtime/pprof"
	"strings"
)

// OfRuntime returns the stacks of goroutines with a frame in, or created by, a function
// of this project's runtime. One that has told that it ended may need a moment to be
// gone.
func OfRuntime() (stacks []string) {
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 2); err != nil {
		return []string{err.Error()}
	}
	for stack := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(stack, "informer-gen/informer-gen/runtime/") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}
