package field_test

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const preamble = `# Field

How informers behave under conditions outside of a test cluster: an informer of
runtime/cache over REST, one of runtime/clientgo/cache, and one of
k8s.io/client-go/tools/cache v0.37.2, with default options. Each row is a test, with
net/http's client and server between the informer and an API server in memory, in
virtual time. ` + "`make field`" + ` runs the same rows in real time over TCP. This file is
written by ` + "`go test -run TestField -update`" + `: the figures are those of that run, and those in
brackets are the bounds that are tested.

There are four pods, of which one changes once a second unless the row says something
else. When the condition is over, or, for one that does not end, while it lasts, one pod
is updated, one deleted, and one created.

- **no watch** is the share of time in which the server had no watch of the informer
  open. One on a connection that is half-open is open, to the server.
- **late** is the largest delay of a change during the condition.
- **requests** counts those that reached the server meanwhile. Repeated requests take 5 ms.
- **right** is the time after the end of the condition, or after the start if it does not
  end, until the store and a handler have the state of the server. Never means not within an hour.
- **made up** is the number of deletions that a handler got and that did not happen.
`

const fieldHead = `
## %s

| condition | informer | for | no watch | late | requests | right | made up |
|---|---|---|---|---|---|---|---|
`

const fakesHead = `
## Fake clientsets

An informer of each kind on a fake clientset of k8s.io/client-go with the pods a and b:
without UIDs and resourceVersions, with one for all, and with one of its own for each pod,
none of which ever changes. The events have the states before and after. There is no relist.

| change | events |
|---|---|
`

const oddHead = `
## Servers with unusual resourceVersions

An informer of each kind on an HTTP server, with lists and with watch-lists. An object is
its name, UID, resourceVersion and state.

| condition | lists | watch | events | client-go |
|---|---|---|---|---|
`

var update = flag.Bool("update", false, "write FIELD.md")

const document = "FIELD.md"

// writeDocument writes what TestField has measured.
func writeDocument(t *testing.T) {
	if err := os.WriteFile(document, []byte(render(measured)), 0o666); err != nil {
		t.Error(err)
	}
}

func TestDocument(t *testing.T) {
	if *update {
		t.Skip("TestField writes it")
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(render(unmeasured), mask(string(text))); diff != "" {
		t.Errorf("%s is not up to date; go test -run TestField -update writes it:\n%s", document, diff)
	}
}

// render returns FIELD.md, with the cells that a function makes of a bound.
func render(cells func(row, implementation) []string) string {
	var b strings.Builder
	b.WriteString(preamble)
	for _, family := range families {
		fmt.Fprintf(&b, fieldHead, family.title)
		for _, r := range family.rows {
			for n, i := range implementations {
				name := r.name
				if n > 0 {
					name = ""
				}
				fmt.Fprintf(&b, "| %s | %s | %s |\n", name, i.Name, strings.Join(cells(r, i), " | "))
			}
		}
	}
	b.WriteString(fakesHead)
	for _, r := range fakeRows {
		fmt.Fprintf(&b, "| %s | %s |\n", r.name, strings.Join(r.events, ", "))
	}
	b.WriteString(oddHead)
	for _, r := range oddRows {
		theirs := "the same"
		if r.clientGo != nil {
			theirs = strings.Join(r.clientGo, ", ")
		}
		fmt.Fprintf(&b, "| %s | `%s` | `%s` | %s | %s |\n", r.name, strings.Join(r.lists, "; "), strings.Join(r.watch, "; "),
			strings.Join(r.events, ", "), theirs)
	}
	return b.String()
}

// measured are the cells of what was measured, and unmeasured those that are tested.
func measured(r row, i implementation) []string {
	m, b := noted(r, i), r.bounds(i)
	right := short(m.right)
	if m.never {
		right = ""
	}
	return []string{
		short(m.lasted),
		strings.TrimSpace(fmt.Sprintf("%.1f %% %s", m.blind, b.cells()[1])),
		strings.TrimSpace(short(m.late) + " " + b.cells()[2]),
		strings.TrimSpace(fmt.Sprint(m.requests, " ", b.cells()[3])),
		strings.TrimSpace(right + " " + b.cells()[4]),
		strings.TrimSpace(fmt.Sprint(m.madeUp, " ", b.cells()[5])),
	}
}

func unmeasured(r row, i implementation) []string { return r.bounds(i).cells() }

// cells are the bounds.
func (b bounds) cells() []string {
	cells := make([]string, 6)
	bound := func(n int, set bool, format string, value any) {
		if set {
			cells[n] = fmt.Sprintf("("+format+")", value)
		}
	}
	bound(1, b.blind > 0, "≤ %g %%", b.blind)
	bound(2, b.late > 0, "≤ %s", short(b.late))
	bound(3, b.requests > 0, "≤ %d", b.requests)
	bound(4, b.right > 0, "≤ %s", short(b.right))
	bound(4, b.never, "%s", "**never**")
	bound(5, b.madeUp, "%s", "**wrong**")
	bound(5, !b.madeUp, "%s", "none")
	return cells
}

// short is a duration in one unit.
func short(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%.2g s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.3g s", d.Seconds())
	default:
		return fmt.Sprintf("%.3g min", d.Minutes())
	}
}

// mask takes the figures from the tables of conditions.
func mask(text string) string {
	lines := strings.Split(text, "\n")
	for n, line := range lines {
		cells := strings.Split(line, " | ")
		if len(cells) != 8 || strings.HasPrefix(line, "| condition") {
			continue
		}
		cells[7] = strings.TrimSuffix(cells[7], " |")
		for i := 2; i < len(cells); i++ {
			_, bound, ok := strings.Cut(cells[i], "(")
			if cells[i] = ""; ok {
				cells[i] = "(" + bound
			}
		}
		lines[n] = strings.Join(cells, " | ") + " |"
	}
	return strings.Join(lines, "\n")
}

var (
	notesMu sync.Mutex
	notes   = map[[2]string]measurement{}
)

// note keeps a measurement for the document.
func note(r row, i implementation, m measurement) {
	notesMu.Lock()
	defer notesMu.Unlock()
	notes[[2]string{r.name, i.Name}] = m
}

func noted(r row, i implementation) measurement {
	notesMu.Lock()
	defer notesMu.Unlock()
	return notes[[2]string{r.name, i.Name}]
}
