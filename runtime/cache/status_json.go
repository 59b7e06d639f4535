package cache

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// MarshalText returns the text of the phase, like String.
func (p Phase) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the text of a phase.
func (p *Phase) UnmarshalText(text []byte) error {
	i := slices.Index(phaseNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("phase %q: unknown; expected one of %q", text, phaseNames)
	}
	*p = Phase(i)
	return nil
}

// statusFields is Status without its methods.
type statusFields Status

// MarshalJSON writes all fields, but leaves out zero times and nil errors. Phases are written as text,
// times in RFC 3339, and errors as their message and class.
func (s Status) MarshalJSON() ([]byte, error) {
	fields := statusFields(s)
	for field, list := range fields.errors() {
		if *field != nil {
			*field = newErrorJSON(*field, list)
		}
	}
	return json.Marshal(fields)
}

// UnmarshalJSON reads what MarshalJSON writes. The errors have the messages of the marshalled errors, and
// marshal again in the same way, but errors.Is finds nothing in them.
func (s *Status) UnmarshalJSON(data []byte) error {
	var fields statusFields
	for field := range fields.errors() {
		*field = &errorJSON{} // a JSON object can't be decoded into a nil error
	}
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for field := range fields.errors() {
		if read, ok := (*field).(*errorJSON); ok && *read == (errorJSON{}) {
			*field = nil
		}
	}
	*s = Status(fields)
	return nil
}

// errors returns the fields that are errors. The value is true for errors of a list or watch, which have a
// class.
func (s *statusFields) errors() map[*error]bool {
	return map[*error]bool{
		&s.LastError:       true,
		&s.ReconnectReason: true,
		&s.RelistReason:    true,
		&s.LastObjectError: false,
	}
}

// errorJSON is the JSON form of an error in a Status.
type errorJSON struct {
	Message string `json:"message"`
	// Class is the class of an error of a list or watch, as text. It is empty for other errors.
	Class string `json:"class,omitempty"`
}

// newErrorJSON returns the JSON form of an error. The error may have been read from JSON.
func newErrorJSON(err error, list bool) *errorJSON {
	if read, ok := err.(*errorJSON); ok {
		return read
	}
	e := &errorJSON{Message: err.Error()}
	if list {
		e.Class = failure.ClassOf(err).String()
	}
	return e
}

func (e *errorJSON) Error() string { return e.Message }

// handlerFields is HandlerStatus without its methods.
type handlerFields HandlerStatus

// handlerJSON is a HandlerStatus with durations as text, such as "1.5s".
type handlerJSON struct {
	handlerFields
	Lag         metav1.Duration `json:"lag"`
	LongestCall metav1.Duration `json:"longestCall"`
}

// MarshalJSON writes all fields. Durations are text such as "1.5s".
func (s HandlerStatus) MarshalJSON() ([]byte, error) {
	return json.Marshal(handlerJSON{handlerFields(s), metav1.Duration{Duration: s.Lag}, metav1.Duration{Duration: s.LongestCall}})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *HandlerStatus) UnmarshalJSON(data []byte) error {
	var read handlerJSON
	if err := json.Unmarshal(data, &read); err != nil {
		return err
	}
	*s = HandlerStatus(read.handlerFields)
	s.Lag, s.LongestCall = read.Lag.Duration, read.LongestCall.Duration
	return nil
}
