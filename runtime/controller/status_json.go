package controller

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// statusJSON is the JSON form of a Status.
type statusJSON struct {
	Name           string          `json:"name"`
	Synced         bool            `json:"synced"`
	Stopped        bool            `json:"stopped"`
	Fence          metav1.Duration `json:"fence"`
	Waiting        int             `json:"waiting"`
	Oldest         metav1.Duration `json:"oldest"`
	WaitingLive    int             `json:"waitingLive"`
	OldestLive     metav1.Duration `json:"oldestLive"`
	Delayed        int             `json:"delayed"`
	Running        []runningJSON   `json:"running,omitempty"`
	AwaitingWrites int             `json:"awaitingWrites"`
	OverdueWrites  []keyErrorJSON  `json:"overdueWrites,omitempty"`
	Overdue        uint64          `json:"overdue"`
	Succeeded      uint64          `json:"succeeded"`
	Failed         uint64          `json:"failed"`
	Terminal       uint64          `json:"terminal"`
	Panicked       uint64          `json:"panicked"`
	LastPanic      time.Time       `json:"lastPanic,omitzero"`
	LastError      *errorJSON      `json:"lastError,omitempty"`
	LastErrorKey   keyText         `json:"lastErrorKey,omitzero"`
	LastErrorTime  time.Time       `json:"lastErrorTime,omitzero"`
	TerminalErrors []keyErrorJSON  `json:"terminalErrors,omitempty"`
}

type keyErrorJSON struct {
	Key   keyText   `json:"key"`
	Error errorJSON `json:"error"`
	Time  time.Time `json:"time"`
}

type runningJSON struct {
	Key keyText         `json:"key"`
	For metav1.Duration `json:"for"`
}

// errorJSON is a JSON object, like the errors in the JSON of a cache.Status.
type errorJSON struct {
	Message string `json:"message"`
}

// keyText is a key as "namespace/name", or "/name" without a namespace.
type keyText types.NamespacedName

// MarshalText returns the text of the key.
func (k keyText) MarshalText() ([]byte, error) {
	return []byte(types.NamespacedName(k).String()), nil
}

// UnmarshalText takes the text of a key.
func (k *keyText) UnmarshalText(text []byte) error {
	namespace, name, ok := strings.Cut(string(text), "/")
	if !ok {
		return fmt.Errorf("key %q: has no slash; expected namespace/name", text)
	}
	*k = keyText{Namespace: namespace, Name: name}
	return nil
}

// MarshalJSON writes all fields, but leaves out zero times, a nil LastError and its key, and empty lists.
// Durations are text such as "1.5s", times are in RFC 3339, keys are "namespace/name", and errors are their
// messages.
func (s Status) MarshalJSON() ([]byte, error) {
	fields := statusJSON{
		Name: s.Name, Synced: s.Synced, Stopped: s.Stopped, Fence: metav1.Duration{Duration: s.Fence},
		Waiting: s.Waiting, Oldest: metav1.Duration{Duration: s.Oldest},
		WaitingLive: s.WaitingLive, OldestLive: metav1.Duration{Duration: s.OldestLive},
		Delayed: s.Delayed, AwaitingWrites: s.AwaitingWrites, Overdue: s.Overdue,
		OverdueWrites: keyErrorsJSON(s.OverdueWrites), TerminalErrors: keyErrorsJSON(s.TerminalErrors),
		Succeeded: s.Succeeded, Failed: s.Failed, Terminal: s.Terminal, Panicked: s.Panicked, LastPanic: s.LastPanic,
		LastErrorKey: keyText(s.LastErrorKey), LastErrorTime: s.LastErrorTime,
	}
	if s.LastError != nil {
		fields.LastError = &errorJSON{s.LastError.Error()}
	}
	for _, r := range s.Running {
		fields.Running = append(fields.Running, runningJSON{keyText(r.Key), metav1.Duration{Duration: r.For}})
	}
	return json.Marshal(fields)
}

func keyErrorsJSON(errs []KeyError) (all []keyErrorJSON) {
	for _, e := range errs {
		all = append(all, keyErrorJSON{keyText(e.Key), errorJSON{e.Err.Error()}, e.Time})
	}
	return all
}

func keyErrorsOf(all []keyErrorJSON) (errs []KeyError) {
	for _, e := range all {
		errs = append(errs, KeyError{types.NamespacedName(e.Key), errors.New(e.Error.Message), e.Time})
	}
	return errs
}

// UnmarshalJSON reads what MarshalJSON writes. Errors have the messages of the marshalled errors, but
// errors.Is finds nothing in them.
func (s *Status) UnmarshalJSON(data []byte) error {
	var fields statusJSON
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	*s = Status{
		Name: fields.Name, Synced: fields.Synced, Stopped: fields.Stopped, Fence: fields.Fence.Duration,
		Waiting: fields.Waiting, Oldest: fields.Oldest.Duration,
		WaitingLive: fields.WaitingLive, OldestLive: fields.OldestLive.Duration,
		Delayed: fields.Delayed, AwaitingWrites: fields.AwaitingWrites, Overdue: fields.Overdue,
		OverdueWrites: keyErrorsOf(fields.OverdueWrites), TerminalErrors: keyErrorsOf(fields.TerminalErrors),
		Succeeded: fields.Succeeded, Failed: fields.Failed, Terminal: fields.Terminal, Panicked: fields.Panicked, LastPanic: fields.LastPanic,
		LastErrorKey: types.NamespacedName(fields.LastErrorKey), LastErrorTime: fields.LastErrorTime,
	}
	if fields.LastError != nil {
		s.LastError = errors.New(fields.LastError.Message)
	}
	for _, r := range fields.Running {
		s.Running = append(s.Running, Running{types.NamespacedName(r.Key), r.For.Duration})
	}
	return nil
}
