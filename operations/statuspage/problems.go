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
	// staleAfter is when a store counts as out of date: servers send something each minute.
	staleAfter = 3 * time.Minute
	// slowAfter is when a call or a reconcile counts as stuck, and manyEvents how many wait
	// for a handler that does not keep up.
	slowAfter  = time.Minute
	manyEvents = 10_000
	// panicShown is the time for which a panic is a problem, and shownNames limits how many objects a
	// problem names.
	panicShown = 15 * time.Minute
	shownNames = 3
)

// problem is something that is wrong now, or was at the time that it says.
type problem struct {
	// Subject is an informer, a handler, a controller or a member.
	Subject string `json:"subject"`
	What    string `json:"what"`
	Advice  string `json:"advice"`
	// Urgent reports whether a store is not kept up to date, or a handler or controller does not
	// follow it.
	Urgent bool `json:"urgent"`
}

// problemsOf returns what is wrong: what is urgent first, and otherwise in the order of the
// informers, controllers and members.
func problemsOf(informers []cache.Status, controllers []controller.Status, members []membership.Status, now time.Time) []problem {
	all := []problem{}
	for _, s := range informers {
		all = append(all, informerProblems(s)...)
		for _, h := range s.Handlers {
			all = append(all, handlerProblems(s.Name, h, now)...)
		}
	}
	for _, s := range controllers {
		all = append(all, controllerProblems(s, now)...)
	}
	for _, s := range members {
		all = append(all, memberProblems(s, now)...)
	}
	slices.SortStableFunc(all, func(a, b problem) int {
		switch {
		case a.Urgent == b.Urgent:
			return 0
		case a.Urgent:
			return -1
		default:
			return 1
		}
	})
	return all
}

func informerProblems(s cache.Status) (all []problem) {
	urgent := func(what, advice string) { all = append(all, problem{s.Name, summary(what), advice, true}) }
	switch {
	case s.Phase == cache.PhaseStopped:
		urgent(s.String(), "Its store does not change any more. Request another informer from the factory, or find who has ended its context.")
	case s.Phase == cache.PhaseAbsent:
		urgent(s.String(), failure.ClassNotFound.Advice())
	case s.Attempts > 0 && s.LastError != nil:
		urgent(s.String(), failure.ClassOf(s.LastError).Advice())
	case !s.Started.IsZero() && s.Stale() > staleAfter:
		urgent("the server has sent nothing for "+brief(s.Stale()), failure.ClassSilent.Advice())
	case s.Synced:
	case s.Phase == cache.PhasePending:
		all = append(all, problem{Subject: s.Name, What: s.String(),
			Advice: "Start the factory. A program that waits for its turn to lead may do so later."})
	default:
		all = append(all, problem{Subject: s.Name, What: summary("not in sync yet: " + s.String()),
			Advice: "The store lacks objects until the first list is complete."})
	}
	if s.LeftOut > 0 {
		all = append(all, problem{Subject: s.Name,
			What:   plural(s.LeftOut, "object") + " left out now: " + examples(s.LeftOutObjects, s.LeftOut),
			Advice: "Compare the Go type with the schema of the resource, and look at index functions and transforms. The details name more objects.",
		})
	}
	if s.DecodedByClient != "" {
		all = append(all, problem{Subject: s.Name,
			What:   summary("takes more CPU and memory than it needs, since its client decodes lists and watches: " + s.DecodedByClient),
			Advice: "Make the client with the configuration of Streaming, and call its methods without a function in between.",
		})
	}
	return all
}

// examples names the first objects and what is wrong with each.
func examples(named map[string]string, count int) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(named))[:min(shownNames, len(named))] {
		all = append(all, summary(cmp.Or(name, unknownName)+": "+named[name]))
	}
	if more := count - len(all); more > 0 {
		all = append(all, fmt.Sprintf("and %s more", number(float64(more))))
	}
	return strings.Join(all, "; ")
}

// unknownName stands for objects whose name could not be read.
const unknownName = "name not known"

func handlerProblems(informer string, h cache.HandlerStatus, now time.Time) (all []problem) {
	subject := informer + ", handler " + h.Name
	switch {
	case h.Lag > slowAfter:
		all = append(all, problem{subject, fmt.Sprintf("%s behind, with a backlog of %s", brief(h.Lag), plural(h.Backlog, "event")),
			"If the lag grows and the calls do not, the handler is stuck: a goroutine dump says where. Otherwise do less in it, take batches, or let it coalesce.", true})
	case h.Backlog > manyEvents:
		all = append(all, problem{subject, "a backlog of " + plural(h.Backlog, "event"),
			"Do less in the handler, take batches, or let it coalesce. What waits stays in memory.", true})
	}
	if now.Sub(h.LastPanic) < panicShown {
		all = append(all, problem{Subject: subject, What: "panicked " + ago(h.LastPanic, now),
			Advice: "The log has the stacks. The events are lost to the handler, unless it retries."})
	}
	return all
}

func controllerProblems(s controller.Status, now time.Time) (all []problem) {
	subject := "controller " + s.Name
	if len(s.Running) > 0 && s.Running[0].For > slowAfter {
		all = append(all, problem{subject, fmt.Sprintf("the reconcile of %v has been running for %s", s.Running[0].Key, brief(s.Running[0].For)),
			"A goroutine dump says what it waits for. Give its requests a timeout.", true})
	}
	if s.Oldest > slowAfter {
		all = append(all, problem{subject, fmt.Sprintf("a queue of %s, the first of them for %s", plural(s.Waiting, "key"), brief(s.Oldest)),
			"Reconcile faster, or with more workers.", true})
	}
	if !s.Synced {
		all = append(all, problem{Subject: subject, What: notStarted,
			Advice: "It reconciles nothing before its informers are in sync."})
	}
	terminal := map[string]string{}
	for _, e := range s.TerminalErrors {
		terminal[e.Key.String()] = e.Err.Error()
	}
	if len(terminal) > 0 {
		all = append(all, problem{Subject: subject, What: plural(len(terminal), "key") + " with a terminal error now: " + examples(terminal, len(terminal)),
			Advice: "These are not retried: correct the objects. A change of an object reconciles it."})
	}
	if now.Sub(s.LastPanic) < panicShown {
		all = append(all, problem{Subject: subject, What: "a reconcile panicked " + ago(s.LastPanic, now),
			Advice: "The log has the stack. The key is retried."})
	}
	if s.LastError != nil && now.Sub(s.LastErrorTime) < staleAfter && terminal[s.LastErrorKey.String()] == "" {
		all = append(all, problem{Subject: subject, What: summary(fmt.Sprintf("the reconcile of %v failed %s: %v", s.LastErrorKey, ago(s.LastErrorTime, now), s.LastError)),
			Advice: "It is retried. The log has all errors of reconciles."})
	}
	return all
}
