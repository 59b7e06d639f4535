package main

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A run of less than a second shows nothing; a longer one shows where it is, and
// leaves nothing behind.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		run  func(p *progressLine)
		want string
	}{
		{"quick", func(p *progressLine) {
			p.update("loading", 0, 0, "")
			time.Sleep(progressDelay - 1)
		}, ""},
		{"slow", func(p *progressLine) {
			p.update("loading", 0, 0, "")
			time.Sleep(progressDelay + refresh/2)
			p.update("rendering", 1, 420, "files")
			p.update("rendering", 120, 420, "files")
			time.Sleep(10 * refresh)
		}, "\r\x1b[Kloading\r\x1b[Krendering 120/420 files\r\x1b[K"},
		{"nothing known", func(*progressLine) { time.Sleep(2 * progressDelay) }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var terminal strings.Builder
				p := startProgress(&terminal)
				c.run(p)
				p.stop()
				if got := terminal.String(); got != c.want {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}
