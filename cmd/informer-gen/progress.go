package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// A progress line appears when a run takes longer than progressDelay, and is
// rewritten every refresh.
const (
	progressDelay = time.Second
	refresh       = 100 * time.Millisecond
)

const eraseLine = "\r\x1b[K"

// progressLine shows on a terminal how far a run is.
type progressLine struct {
	mu   sync.Mutex
	text string

	quit    chan struct{} // closed by stop
	stopped chan struct{} // closed when the line is erased
}

// startProgress begins to show progress; stop ends it.
func startProgress(w io.Writer) *progressLine {
	p := &progressLine{quit: make(chan struct{}), stopped: make(chan struct{})}
	go p.run(w)
	return p
}

// update is for generators.Options.Progress.
func (p *progressLine) update(step string, done, total int, of string) {
	text := step
	if total > 0 {
		text = fmt.Sprintf("%s %d/%d %s", step, done, total, of)
	}
	p.mu.Lock()
	p.text = text
	p.mu.Unlock()
}

func (p *progressLine) run(w io.Writer) {
	defer close(p.stopped)
	next := time.NewTimer(progressDelay)
	defer next.Stop()
	shown := ""
	for {
		select {
		case <-next.C:
			next.Reset(refresh)
			p.mu.Lock()
			text := p.text
			p.mu.Unlock()
			if text != shown {
				fmt.Fprint(w, eraseLine, text)
				shown = text
			}
		case <-p.quit:
			if shown != "" {
				fmt.Fprint(w, eraseLine)
			}
			return
		}
	}
}

// stop erases the line and returns when nothing more will be written.
func (p *progressLine) stop() {
	close(p.quit)
	<-p.stopped
}

// isTerminal reports whether a line can be rewritten. Nobody minds about other
// devices than terminals, such as the null device.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
