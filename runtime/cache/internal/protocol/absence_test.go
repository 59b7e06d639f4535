package protocol

import (
	"errors"
	"testing"
	"time"
)

func TestAbsenceProven(t *testing.T) {
	const grace = 5 * time.Minute
	type answer struct {
		after  time.Duration
		served bool
		err    error
	}
	failed := errors.New("404 page not found")
	for _, test := range []struct {
		name    string
		answers []answer
		want    bool
	}{
		{"one answer", []answer{{}}, false},
		{"for less than the grace period", []answer{{}, {after: grace - 1}}, false},
		{"for the grace period", []answer{{}, {after: time.Minute}, {after: grace - time.Minute}}, true},
		{"with an error in between", []answer{{}, {after: time.Minute, err: failed}, {after: grace}}, false},
		{"served in between", []answer{{}, {after: time.Minute, served: true}, {after: grace}}, false},
		{"an error in the end", []answer{{}, {after: grace, err: failed}}, false},
		{"from the start after an error", []answer{{err: failed}, {}, {after: grace}}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			var a Absence
			now, proven := time.Unix(1_000_000, 0), false
			for _, answer := range test.answers {
				now = now.Add(answer.after)
				proven = a.Proven(answer.served, answer.err, now, grace)
			}
			if proven != test.want {
				t.Errorf("got %v", proven)
			}
		})
	}
}
