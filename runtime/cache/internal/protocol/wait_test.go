package protocol

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// Each wait is over, goes on or fails by what is seen now, and by nothing that was seen before.
func TestWait(t *testing.T) {
	refused := errors.New("refused")
	has := func(uid, version string, deleting bool) Sight {
		return Sight{Listed: true, Version: "7", Exists: true, Stored: Sent{Origin{types.UID("uid-" + uid), version}, deleting}}
	}
	without := func(version string) Sight { return Sight{Listed: true, Version: version} }
	with := func(s Sight, change func(*Sight)) Sight { change(&s); return s }
	reached := Wait{Aim: Reached, Version: "7"}
	written := Wait{Aim: Written, Version: "7", UID: "uid-a"}
	finalized := Wait{Aim: Finalized, Version: "7", UID: "uid-a"}
	deletion := Wait{Aim: Deleted, Version: "7", UID: "uid-a"}
	known := Wait{Aim: Deleted, UID: "uid-a"}
	const done, waits = "done", "waits"
	for _, test := range []struct {
		name  string
		wait  Wait
		sight Sight
		want  string // or the error
	}{
		{"not started", reached, Sight{}, waits},
		{"behind", reached, without("6"), waits},
		{"there", reached, without("7"), done},
		{"beyond", reached, without("10"), done},
		{"there, but not what the source selects now", reached, Sight{Version: "7"}, waits},
		{"no scope is left", reached, Sight{Gone: true}, done},
		{"no scope is left, no number", Wait{Version: "x"}, Sight{Gone: true}, "error"},
		{"no number", Wait{Version: "x"}, without("7"), "error"},
		{"no number, before the first list", Wait{Version: "x"}, Sight{}, "error"},
		{"another history", reached, with(without("9"), func(s *Sight) { s.Restarts = 1 }), "restarted"},
		{"a later history, known from the beginning", Wait{Version: "7", Restarts: 1}, with(without("7"), func(s *Sight) { s.Restarts = 1 }), done},

		{"refused", written, with(without("9"), func(s *Sight) { s.Never = refused }), "refused"},
		{"refused, and of another history", written, Sight{Never: refused, Restarts: 1}, "refused"},
		{"written: behind", written, with(has("a", "7", false), func(s *Sight) { s.Version = "6" }), waits},
		{"written: an earlier state", written, has("a", "6", false), waits},
		{"written: the state", written, has("a", "7", false), done},
		{"written: a later state", written, has("a", "8", false), done},
		{"written: deleted since", written, without("7"), done},
		{"written: made again since", written, has("b", "8", false), done},
		{"written: left out, an earlier state is kept", written, with(has("a", "6", false), func(s *Sight) { s.LeftOut = true }), done},
		{"written: without metadata", written, with(has("a", "", false), func(s *Sight) { s.Opaque = true }), done},
		{"written: not listed yet", written, with(without("7"), func(s *Sight) { s.Listed = false }), waits},

		{"finalized: still there", finalized, has("a", "7", true), waits},
		{"finalized: gone", finalized, without("8"), done},
		{"finalized: made again", finalized, has("b", "9", false), done},

		{"deleted: still there", deletion, has("a", "6", false), waits},
		{"deleted: known, being deleted", known, with(has("a", "6", true), func(s *Sight) { s.Version = "6" }), done},
		{"deleted: gone", deletion, without("8"), done},
		{"deleted: never heard of", deletion, without("6"), waits},
		{"deleted: made again", deletion, has("b", "8", false), done},
		{"deleted: known, gone", known, without("6"), done},
		{"deleted: known, still there", known, has("a", "6", false), waits},
		{"deleted: an earlier object of that name", deletion, with(has("b", "3", false), func(s *Sight) { s.Version = "6" }), waits},
		{"deleted: of no version, gone", Wait{Aim: Deleted}, without(""), done},
		{"deleted: of no version, not listed", Wait{Aim: Deleted}, Sight{}, waits},
		{"deleted: of no UID", Wait{Aim: Deleted}, has("a", "6", false), waits},
		{"deleted: left out before", deletion, with(has("a", "6", false), func(s *Sight) { s.LeftOut = true }), waits},
		{"finalized: left out before", finalized, with(has("a", "6", true), func(s *Sight) { s.LeftOut = true }), waits},
	} {
		t.Run(test.name, func(t *testing.T) {
			over, lacks, err := test.wait.Judge(test.sight)
			got := waits
			switch {
			case errors.Is(err, refused):
				got = "refused"
			case errors.Is(err, failure.ErrHistoryRestarted):
				got = "restarted"
			case err != nil:
				got = "error"
			case over:
				got = done
			}
			if got != test.want || (got == waits) != (lacks != "" && err == nil) {
				t.Errorf("%s, lacks %q, %v; want %s", got, lacks, err, test.want)
			}
		})
	}
}
