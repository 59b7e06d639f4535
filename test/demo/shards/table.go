package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// table prints who owns what, a line each second, and notes between them.
type table struct {
	out      io.Writer
	began    time.Time
	replicas func() []*process
	columns  int       // of the last head
	printed  time.Time // the last line
}

func (t *table) note(format string, args ...any) {
	fmt.Fprintf(t.out, "%6.1f s  %s\n", time.Since(t.began).Seconds(), fmt.Sprintf(format, args...))
}

// show prints lines for a time.
func (t *table) show(ctx context.Context, forTime time.Duration) error {
	end := time.After(forTime)
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		if time.Since(t.printed) >= time.Second {
			t.printed = time.Now()
			t.line()
		}
		select {
		case <-tick.C:
		case <-end:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// line prints a line, and a head before it if there are other replicas.
func (t *table) line() {
	replicas := t.replicas()
	if len(replicas) != t.columns {
		t.columns = len(replicas)
		cells := []string{"unowned", "handled"}
		for _, p := range replicas {
			cells = append(cells, "replica "+p.name)
		}
		t.print("", cells)
	}
	unowned, handled, cells := slots, int64(0), []string{}
	for _, p := range replicas {
		r, state := p.report()
		handled += r.Handled
		if state == "" {
			unowned -= r.Member.Owned.Count
		}
		cells = append(cells, cell(r, state))
	}
	t.print(fmt.Sprintf("%6.1f s", time.Since(t.began).Seconds()), append([]string{percent(max(unowned, 0)), fmt.Sprint(handled)}, cells...))
}

func (t *table) print(head string, cells []string) {
	line := fmt.Sprintf("%8s", head)
	for i, cell := range cells {
		width := 20
		if i < 2 {
			width = 9
		}
		line += fmt.Sprintf("  %-*s", width, cell)
	}
	fmt.Fprintln(t.out, strings.TrimRight(line, " "))
}

// cell says what a replica owns and how many objects it has.
func cell(r report, state string) string {
	switch {
	case state != "":
		return state
	case r.Member.Identity == "":
		return "starts"
	case r.Member.Owned.Count == 0:
		return string(r.Member.Phase)
	}
	text := fmt.Sprintf("%s, %d orders", percent(r.Member.Owned.Count), r.Objects)
	if r.Member.Gaining.Count > 0 {
		text += " +"
	}
	if r.Member.Losing.Count > 0 {
		text += " -"
	}
	return text
}

// percent returns a number of slots as a part of all.
func percent(n int) string { return fmt.Sprintf("%.0f %%", 100*float64(n)/slots) }
