package statuspage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/controller"
)

const (
	// staleAfter is the age at which a store counts as out of date: servers send something each minute.
	staleAfter = 3 * time.Minute
	// slowAfter is the duration at which a call or a reconcile counts as stuck. manyEvents is the number of
	// waiting events at which a handler does not keep up.
	slowAfter  = time.Minute
	manyEvents = 10_000
	// panicShown is the time for which a panic is a problem. shownNames limits how many objects a problem
	// names.
	panicShown = 15 * time.Minute
	shownNames = 3
)

// problem is something that is wrong now, or was wrong at the given time.
type problem struct {
	// Subject is an informer, a handler, a controller or a member.
	Subject string `json:"subject"`
	What    string `json:"what"`
	Advice  string `json:"advice"`
	// Urgent reports whether a store is not kept up to date, or a handler or controller does not follow its
	// store.
	Urgent bool `json:"urgent"`
}

// problems collects the findings, with the urgent ones apart.
type problems struct{ first, others []problem }

const urgent = true

func (p *problems) add(urgent bool, subject, what, advice string) {
	if urgent {
		p.first = append(p.first, problem{subject, what, advice, true})
		return
	}
	p.others = append(p.others, problem{subject, what, advice, false})
}

// problemsOf returns the problems: the urgent ones first, and otherwise in the order of the informers,
// controllers and members.
func problemsOf(informers []cache.Status, controllers []controller.Status, members []membership.Status, now time.Time) []problem {
	var p problems
	for _, s := range informers {
		p.ofInformer(s)
		for _, h := range s.Handlers {
			p.ofHandler(s.Name, h, now)
		}
	}
	for _, s := range controllers {
		p.ofController(s, now)
	}
	for _, s := range members {
		p.ofMember(s, now)
	}
	return append(append([]problem{}, p.first...), p.others...)
}

func (p *problems) ofInformer(s cache.Status) {
	switch {
	case s.Phase == cache.PhaseStopped:
		p.add(urgent, s.Name, summary(s.String()), "Its store does not change any more. Request another informer from the factory, or find who has ended its context.")
	case s.Phase == cache.PhaseAbsent:
		p.add(urgent, s.Name, summary(s.String()), failure.ClassNotFound.Advice())
	case s.Attempts > 0 && s.LastError != nil:
		p.add(urgent, s.Name, summary(s.String()), failure.ClassOf(s.LastError).Advice())
	case !s.Started.IsZero() && s.Stale() > staleAfter:
		p.add(urgent, s.Name, "the server has sent nothing for "+brief(s.Stale()), failure.ClassSilent.Advice())
	case s.Synced:
	case s.Phase == cache.PhasePending:
		p.add(!urgent, s.Name, s.String(), "Start the factory. A program that waits for its turn to lead may do so later.")
	default:
		p.add(!urgent, s.Name, summary("not in sync yet: "+s.String()), "The store lacks objects until the first list is complete.")
	}
	if s.LeftOut > 0 {
		p.add(!urgent, s.Name, plural(s.LeftOut, "object")+" left out now: "+examples(s.LeftOutObjects, s.LeftOut),
			"Compare the Go type with the schema of the resource, and look at index functions and transforms. The details name more objects.")
	}
	if s.DecodedByClient != "" {
		p.add(!urgent, s.Name, summary("takes more CPU and memory than it needs, since its client decodes lists and watches: "+s.DecodedByClient),
			"Make the client with the configuration of Streaming, and call its methods without a function in between.")
	}
}

// examples names the first objects, each with its problem.
func examples(named map[string]string, count int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(named))[:min(shownNames, len(named))] {
		all = append(all, summary(cmp.Or(name, unknownName)+": "+named[name]))
	}
	if more := count - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %s more", number(more)))
	}
	return strings.Join(all, "; ")
}

// unknownName stands for objects whose name could not be read.
const unknownName = "name not known"

func (p *problems) ofHandler(informer string, h cache.HandlerStatus, now time.Time) {
	subject := informer + ", handler " + h.Name
	switch {
	case h.Lag > slowAfter:
		p.add(urgent, subject, fmt.Sprintf("%s behind, with a backlog of %s", brief(h.Lag), plural(h.Backlog, "event")),
			"If the lag grows and the calls do not, the handler is stuck: a goroutine dump says where. Otherwise do less in it, take batches, or let it coalesce.")
	case h.Backlog > manyEvents:
		p.add(urgent, subject, "a backlog of "+plural(h.Backlog, "event"), "Do less in the handler, take batches, or let it coalesce. What waits stays in memory.")
	}
	if now.Sub(h.LastPanic) < panicShown {
		p.add(!urgent, subject, "panicked "+ago(h.LastPanic, now), "The log has the stacks. The events are lost to the handler, unless it retries.")
	}
}

// byKey returns the texts of errors by their keys.
func byKey(errs []controller.KeyError) map[string]string {
	texts := make(map[string]string, len(errs))
	for _, e := range errs {
		texts[e.Key.String()] = e.Err.Error()
	}
	return texts
}

func (p *problems) ofController(s controller.Status, now time.Time) {
	subject := "controller " + s.Name
	if len(s.Running) > 0 && s.Running[0].For > slowAfter {
		p.add(urgent, subject, fmt.Sprintf("the reconcile of %v has been running for %s", s.Running[0].Key, brief(s.Running[0].For)),
			"A goroutine dump says what it waits for. Give its requests a timeout.")
	}
	if s.Oldest > slowAfter {
		p.add(urgent, subject, fmt.Sprintf("a queue of %s, the first of them for %s", plural(s.Waiting, "key"), brief(s.Oldest)), "Reconcile faster, or with more workers.")
	}
	switch {
	case s.Stopped:
		p.add(urgent, subject, "stopped", "It reconciles nothing any more. The error of its Run says why: an informer has stopped, or its context has ended.")
	case !s.Synced:
		p.add(!urgent, subject, notStarted, "It reconciles nothing before its informers are in sync.")
	}
	if overdue := byKey(s.OverdueWrites); len(overdue) > 0 {
		p.add(!urgent, subject, fmt.Sprintf("%s reconciled without own writes, which a store has lacked for %s: %s", plural(len(overdue), "key"),
			brief(now.Sub(s.OverdueWrites[0].Time)), examples(overdue, len(overdue))), "Each may have acted on the state before its last write. The state of the informer says why its store is behind.")
	}
	terminal := byKey(s.TerminalErrors)
	if len(terminal) > 0 {
		p.add(!urgent, subject, plural(len(terminal), "key")+" with a terminal error now: "+examples(terminal, len(terminal)),
			"These are not retried: correct the objects. A change of an object reconciles it.")
	}
	if now.Sub(s.LastPanic) < panicShown {
		p.add(!urgent, subject, "a reconcile panicked "+ago(s.LastPanic, now), "The log has the stack. The key is retried.")
	}
	if s.LastError != nil && now.Sub(s.LastErrorTime) < staleAfter && terminal[s.LastErrorKey.String()] == "" {
		p.add(!urgent, subject, summary(fmt.Sprintf("the reconcile of %v failed %s: %v", s.LastErrorKey, ago(s.LastErrorTime, now), s.LastError)),
			"It is retried. The log has all errors of reconciles.")
	}
}
