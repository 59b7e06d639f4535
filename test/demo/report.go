package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
)

// journal prints what the demo does, each line with the time since its start.
type journal struct {
	out   io.Writer
	began time.Time
}

func newJournal(out io.Writer) *journal { return &journal{out: out, began: time.Now()} }

// step begins a step.
func (j *journal) step(format string, args ...any) {
	fmt.Fprintf(j.out, "[%5.1fs] %s\n", time.Since(j.began).Seconds(), fmt.Sprintf(format, args...))
}

// note adds lines to the step.
func (j *journal) note(text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(j.out, "         %s\n", strings.TrimRight(line, "\n"))
	}
}

// table prints rows of cells in columns, the first row being the head.
func (j *journal) table(rows ...[]string) {
	w := tabwriter.NewWriter(j.out, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, "  %s\n", strings.Join(row, "\t"))
	}
	w.Flush()
	fmt.Fprintln(j.out)
}
