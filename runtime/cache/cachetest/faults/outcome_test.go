package faults_test

import (
	"fmt"
	"time"
)

// verdict is the state in which an informer ends up.
type verdict string

const (
	recovers verdict = "recovers"
	// hangs: after an hour it has nothing, or waits for the same answer as at
	// the beginning.
	hangs verdict = "hangs"
	// loops: it is out of date and retries again and again, or it floods the
	// server.
	loops verdict = "loops"
	// loses: it lacks objects, or has some that are gone, and does not notice.
	loses verdict = "loses"
	// wrong: it has a state of an object that is not the server's, and does
	// not notice.
	wrong verdict = "has a wrong object"
	// crashes: it ends the process.
	crashes verdict = "crashes"
)

// outcome is the reaction of an implementation to a fault.
type outcome struct {
	verdict verdict
	// after is when it is up to date again, counted from the end of the fault, or
	// when it has flooded the server, counted from the beginning.
	after span
	// requests counts the requests from the beginning of the fault until then or, if the informer is never
	// up to date, until an hour after the end.
	requests count
	// stop is the time that a stop in the middle of the fault takes.
	stop span
	// how says it in words.
	how string
}

// recoversIn returns the outcome of an informer that recovers.
func recoversIn(after span, requests count, how string) outcome {
	return outcome{verdict: recovers, after: after, requests: requests, how: how}
}

// never is the outcome of one that is never up to date.
func never(verdict verdict, requests count, how string) outcome {
	return outcome{verdict: verdict, requests: requests, how: how}
}

// floods is the outcome of one that makes requests without a backoff.
func floods(after span, how string) outcome {
	return outcome{verdict: loops, after: after, requests: exactly(flood), how: how}
}

// stopsIn is the outcome with a stop that is not at once.
func (o outcome) stopsIn(d span) outcome {
	o.stop = d
	return o
}

// holds reports whether a measurement is as expected.
func (o outcome) holds(m measurement) bool {
	timed := o.verdict != recovers && o.after == atOnce || o.after.holds(m.after)
	return o.verdict == m.verdict && timed && o.requests.holds(m.requests) && o.stop.holds(m.stop)
}

func (o outcome) String() string {
	return fmt.Sprintf("%s, after %v, %v requests, stopped in %v", o.verdict, o.after, o.requests, o.stop)
}

// span is a time between two, both included, in tenths of a second.
type span struct{ least, most time.Duration }

var (
	atOnce = span{}
	// oneBackoff is the backoff after a first failure, and soon one of up to a minute,
	// after the tenth or so.
	oneBackoff = between(800*time.Millisecond, 1600*time.Millisecond)
	// aboutASecond is the pause after a watch that was soon over, and oneLookup the time until an object is
	// looked up for the first time.
	aboutASecond = between(500*time.Millisecond, 1500*time.Millisecond)
	oneLookup    = between(2*time.Second, 4*time.Second)
	soon         = between(0, time.Minute)
)

func after(d time.Duration) span             { return span{d, d} }
func between(least, most time.Duration) span { return span{least, most} }

func (s span) plus(d time.Duration) span { return span{s.least + d, s.most + d} }

func (s span) holds(d time.Duration) bool {
	d = d.Round(time.Second / 10)
	return s.least <= d && d <= s.most
}

func (s span) String() string {
	least, most, unit := s.least.Seconds(), s.most.Seconds(), "s"
	if s.most >= 2*time.Minute && s.least%time.Minute == 0 && s.most%time.Minute == 0 {
		least, most, unit = s.least.Minutes(), s.most.Minutes(), "min"
	}
	switch {
	case s.most == 0:
		return "at once"
	case s.least == s.most:
		return fmt.Sprintf("%g %s", most, unit)
	case s.least == 0:
		return fmt.Sprintf("up to %g %s", most, unit)
	default:
		return fmt.Sprintf("%g–%g %s", least, most, unit)
	}
}

// count is a number between two, both included.
type count struct{ least, most int }

func exactly(n int) count { return count{n, n} }

// about is a number that depends on the jitter of the backoff.
func about(n int) count { return count{n * 3 / 4, n * 5 / 4} }

func (c count) holds(n int) bool { return c.least <= n && n <= c.most }

func (c count) String() string {
	switch {
	case c.least == c.most:
		return fmt.Sprint(c.most)
	case c.least == 0:
		return fmt.Sprintf("up to %d", c.most)
	case c.least+1 == c.most:
		return fmt.Sprintf("%d or %d", c.least, c.most)
	default:
		return fmt.Sprintf("about %d", (c.least+c.most+1)/2)
	}
}
