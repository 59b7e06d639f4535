package statuspage

import (
	"fmt"
	"slices"
	"time"

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
)

// problem is something that a person should look at.
type problem struct {
	// Subject is an informer, a handler or a controller.
	Subject string `json:"subject"`
	What    string `json:"what"`
	Advice  string `json:"advice"`
	// Urgent is whether a store is not kept up to date, or somebody does not follow it.
	Urgent bool `json:"urgent"`
}

// problemsOf returns what is wrong: what is urgent first, and otherwise in the order of the
// informers and controllers.
func problemsOf(informers []cache.Status, controllers []controller.Status, now time.Time) []problem {
	all := []problem{}
	for _, s := range informers {
		all = append(all, informerProblems(s)...)
		for _, h := range s.Handlers {
			all = append(all, handlerProblems(s.Name, h)...)
		}
	}
	for _, s := range controllers {
		all = append(all, controllerProblems(s, now)...)
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
	}
	if s.ObjectErrors > 0 {
		all = append(all, problem{Subject: s.Name,
			What:   summary(fmt.Sprintf("%s left out, the last: %v", plural(s.ObjectErrors, "object"), s.LastObjectError)),
			Advice: "Compare the Go type with the schema of the resource, and look at index functions and transforms. The log names each object.",
		})
	}
	return all
}

func handlerProblems(informer string, h cache.HandlerStatus) (all []problem) {
	subject := informer + ", handler " + h.Name
	switch {
	case h.Lag > slowAfter:
		all = append(all, problem{subject, fmt.Sprintf("%s behind, with a backlog of %s", brief(h.Lag), plural(h.Backlog, "event")),
			"If the lag grows and the calls do not, the handler is stuck: a goroutine dump says where. Otherwise do less in it, take batches, or let it coalesce.", true})
	case h.Backlog > manyEvents:
		all = append(all, problem{subject, "a backlog of " + plural(h.Backlog, "event"),
			"Do less in the handler, take batches, or let it coalesce. What waits stays in memory.", true})
	}
	if h.Panics > 0 {
		all = append(all, problem{Subject: subject, What: plural(h.Panics, "call") + " ended in a panic",
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
	if s.LastError != nil && now.Sub(s.LastErrorTime) < staleAfter {
		all = append(all, problem{Subject: subject, What: summary(fmt.Sprintf("the reconcile of %v failed %s: %v", s.LastErrorKey, ago(s.LastErrorTime, now), s.LastError)),
			Advice: "It is retried, unless the error is terminal. The log has all errors of reconciles."})
	}
	return all
}
