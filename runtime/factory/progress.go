package factory

import (
	"fmt"
	"strings"
	"time"

	core "github.com/informer-gen/informer-gen/runtime/cache"
)

// progress is how far the first sync of some informers is.
type progress struct {
	// synced is how many of the informers are in sync.
	synced, informers int
	// objects is how many have come so far, and expected about how many there will be; zero
	// if that is not known of each informer.
	objects, expected int
	// backlog is how many events wait for handlers.
	backlog int
	// waiting are those that are not in sync, with what each is doing.
	waiting []string
}

// progressOf sums up statuses. Informers that were not started do not count: nobody waits for
// them.
func progressOf(statuses []Status) progress {
	var p progress
	known := true
	for _, s := range statuses {
		if s.Phase == core.PhasePending {
			continue
		}
		p.informers++
		for _, h := range s.Handlers {
			p.backlog += h.Backlog
		}
		if s.Synced {
			p.synced++
			p.objects += s.Objects
			p.expected += s.Objects
			continue
		}
		p.waiting = append(p.waiting, fmt.Sprintf("%s %v", s.Name, s.Phase))
		received := max(s.Received, s.Objects)
		p.objects += received
		p.expected += max(s.Expected, received)
		known = known && (s.Expected > 0 || s.Phase == core.PhaseAbsent)
	}
	if !known {
		p.expected = 0
	}
	return p
}

// barCells is the width of the bar.
const barCells = 20

// bar draws how much is done: of the objects if their number is known, of the informers
// otherwise. It is full only when all are in sync.
func (p progress) bar() string {
	done, all := p.synced, p.informers
	if p.expected > 0 {
		done, all = p.objects, p.expected
	}
	cells := 0
	if all > 0 {
		cells = min(barCells, barCells*done/all)
	}
	if p.synced < p.informers {
		cells = min(cells, barCells-1)
	}
	return "[" + strings.Repeat("#", cells) + strings.Repeat(".", barCells-cells) + "]"
}

// line is the progress for a terminal of that width.
func (p progress) line(elapsed time.Duration, width int) string {
	text := fmt.Sprintf("%s %d of %d informers, %d", p.bar(), p.synced, p.informers, p.objects)
	if p.expected > 0 && len(p.waiting) > 0 {
		text += fmt.Sprintf(" of about %d", p.expected)
	}
	text += fmt.Sprintf(" objects, %v", elapsed.Truncate(time.Second))
	switch {
	case len(p.waiting) > 0:
		text += ", " + p.waiting[0]
	case p.backlog > 0:
		text += fmt.Sprintf(", %d events wait for handlers", p.backlog)
	}
	return shorten(text, width-1) // a full line would begin the next one
}

// shorten returns text without control characters, cut to a number of characters.
func shorten(text string, width int) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	if runes := []rune(text); len(runes) > width {
		return string(runes[:max(0, width)])
	}
	return text
}

// maxWaiting is how many informers a log line names.
const maxWaiting = 5

// keysAndValues is the progress for a log line.
func (p progress) keysAndValues(elapsed time.Duration) []any {
	kv := []any{"synced", p.synced, "informers", p.informers, "objects", p.objects}
	if len(p.waiting) > 0 {
		if p.expected > 0 {
			kv = append(kv, "expectedObjects", p.expected)
		} else {
			kv = append(kv, "expectedObjects", "unknown")
		}
		kv = append(kv, "waitingFor", p.waiting[:min(maxWaiting, len(p.waiting))])
	}
	if p.backlog > 0 {
		kv = append(kv, "eventsForHandlers", p.backlog)
	}
	return append(kv, "elapsed", elapsed.Round(100*time.Millisecond))
}
