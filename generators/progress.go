package generators

import (
	"fmt"
	"sync"
	"time"
)

// step is a part of a run that is timed.
type step struct {
	options *Options
	name    string
	started time.Time
}

func (o *Options) begin(name string) step {
	o.progress(name, 0, 0, "")
	return step{options: o, name: name, started: time.Now()}
}

// end logs how long the step took, and what came of it.
func (s step) end(format string, args ...any) {
	s.options.log("%-10s  %-8v  "+format, append([]any{s.name, time.Since(s.started).Round(100 * time.Microsecond)}, args...)...)
}

// counter returns a function to call, from any goroutine, after each of the parts
// of a step.
func (o *Options) counter(step string, total int, of string) func() {
	var mu sync.Mutex
	done := 0
	return func() {
		mu.Lock()
		defer mu.Unlock()
		done++
		o.progress(step, done, total, of)
	}
}

func (o *Options) progress(step string, done, total int, of string) {
	if o.Progress != nil {
		o.Progress(step, done, total, of)
	}
}

func (o *Options) log(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}
