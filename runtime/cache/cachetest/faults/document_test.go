package faults_test

import (
	"fmt"
	"strings"
)

const preamble = `# Faults

How informers behave under faults: one of runtime/cache over REST, and one of
k8s.io/client-go/tools/cache v0.37.2. Each row is a test, over
HTTP and in virtual time, with default options. An informer of
runtime/clientgo/cache over a client of client-go is tested too: it behaves like one
of runtime/cache, or has a row of its own. This file is written by
` + "`go test -run TestDocument -update`" + `.

The informer follows three pods of a server which is a millisecond away and sends a
bookmark a minute. A silent server keeps its connections open: the pings of HTTP/2,
which find a host that is gone, find nothing. The fault begins when the informer
starts, or when it has been up to date for a while. When the fault is over, one pod is
updated, one deleted, and one created.

- **up to date** is the time after the end of the fault until the store and a handler have
  the state of the server. Never means not within an hour.
- **requests** is the number of requests from the beginning of the fault until then.
  The client does not limit them.
  There are at most 75 in any minute.
- **status** is a part of the informer's status meanwhile.
- **hangs**: the store is empty after an hour, or the informer waits for the response to one request.
- **loops**: it is out of date and retries again and again, or makes 1000 requests.
- **loses**, **has a wrong object**: it is out of date, and does not notice.
- **crashes**: it ends the process.

A stop during a fault takes no time, unless the row says how long.
`

const head = `
## %s

| | fault | runtime/cache | up to date | requests | status | client-go | up to date | requests |
|---|---|---|---|---|---|---|---|---|
`

// document returns FAULTS.md.
func document() string {
	var b strings.Builder
	b.WriteString(preamble)
	n := 0
	for _, family := range families {
		fmt.Fprintf(&b, head, family.title)
		for _, r := range family.rows {
			n++
			fmt.Fprintf(&b, "| %d | %s | %s | %s | %s |\n", n, r.name, columns(r.ours), code(r.says), columns(r.clientGo))
			if r.layer != nil || r.layerSays != "" {
				fmt.Fprintf(&b, "| | … over a client of client-go | %s | %s | | | |\n", columns(r.outcome(layer)), code(r.status(layer)))
			}
		}
	}
	b.WriteString(stuckPreamble)
	for _, r := range stuckRows {
		fmt.Fprintf(&b, "| %s | %s | %v |\n", r.name, r.implementation.Name, r.holds)
	}
	return b.String()
}

func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// columns are an outcome in three columns.
func columns(o outcome) string {
	when, requests := o.figures()
	return strings.Join([]string{o.inWords(), when, requests}, " | ")
}

// inWords is the verdict, unless all is well, and what the informer does.
func (o outcome) inWords() string {
	words := o.how
	if o.verdict != recovers {
		words = strings.TrimSuffix(fmt.Sprintf("**%s**: %s", o.verdict, words), ": ")
	}
	if o.stop != atOnce {
		words += fmt.Sprintf("; a stop takes %v", o.stop)
	}
	return words
}

// figures are when the informer is up to date, and how many requests it makes.
func (o outcome) figures() (when, requests string) {
	when, requests = "never", o.requests.String()
	switch {
	case o.verdict == crashes:
		requests = ""
	case o.verdict == recovers:
		when = o.after.String()
	case o.after != atOnce:
		requests += " in " + o.after.String()
	}
	return when, requests
}
