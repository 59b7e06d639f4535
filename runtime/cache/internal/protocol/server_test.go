package protocol

import (
	"errors"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func TestServerListed(t *testing.T) {
	for _, test := range []struct {
		name     string
		version  string
		versions []string
		ordered  bool
		want     Server
	}{
		{"an API server", "9", []string{"1", "2"}, true, Server{Same: SameVersion, DetectsRestart: true, versioned: true}},
		{"one without versions", "", []string{"", ""}, true, Server{Same: SameContent, DetectsRestart: true}},
		{"one object decides nothing", "9", []string{"1"}, true, Server{Same: SameContent, DetectsRestart: true, versioned: true, undecided: true}},
		{"a ListerWatcher of an API server", "9", []string{"1", "2"}, false, Server{Same: SameContent, DetectsRestart: true, versioned: true}},
		{"a ListerWatcher without versions", "0", []string{"", ""}, false, Server{Same: SameContent}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, sample := Server{Since: "7", DetectsRestart: true, versioned: true}, VersionSample{test.versions}
			s.Listed(test.version, &sample, test.ordered, false)
			if test.want.Since = "7"; s != test.want {
				t.Errorf("got %+v, want %+v", s, test.want)
			}
			s.Listed(test.version, &sample, test.ordered, true)
			if test.want.versioned = test.want.versioned && test.ordered; s != test.want {
				t.Errorf("of a fake: got %+v, want %+v", s, test.want)
			}
		})
	}
}

// A bookmark decides how to compare objects where a list had too few of them.
func TestServerBookmarked(t *testing.T) {
	list := func(ordered bool, versions ...string) func(*Server) {
		return func(s *Server) { s.Listed("9", &VersionSample{versions}, ordered, false) }
	}
	bookmark := func(version string) func(*Server) { return func(s *Server) { s.Bookmarked(version) } }
	for _, test := range []struct {
		name  string
		steps []func(*Server)
		want  Sameness
	}{
		{"after a list of one object", []func(*Server){list(true, "5"), bookmark("12")}, SameVersion},
		{"before a list of one object", []func(*Server){bookmark("9"), list(true, "5")}, SameVersion},
		{"after an empty list", []func(*Server){list(true), bookmark("12")}, SameVersion},
		{"of an earlier watch", []func(*Server){list(true, "5", "6"), bookmark("12"), list(true, "5")}, SameVersion},
		{"after a list of one version for all", []func(*Server){list(true, "5", "5"), bookmark("12")}, SameContent},
		{"after a list with a later object", []func(*Server){list(true, "10"), bookmark("12")}, SameContent},
		{"of a version without an order", []func(*Server){list(true, "5"), bookmark("a")}, SameContent},
		{"of a source without an order", []func(*Server){list(false, "5"), bookmark("12")}, SameContent},
		{"that was wrong", []func(*Server){list(true, "5"), bookmark("12"), (*Server).Contradicted, list(true, "5")}, SameContent},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := Server{Same: SameContent}
			for _, step := range test.steps {
				step(&s)
			}
			if s.Same != test.want {
				t.Errorf("got %v, want %v", s.Same, test.want)
			}
		})
	}
}

func TestCheckHistory(t *testing.T) {
	for latest, restarted := range map[string]bool{"9": true, "10": false, "11": false, "": false, "none": false} {
		if err := CheckHistory(latest, "10"); errors.Is(err, failure.ErrHistoryRestarted) != restarted {
			t.Errorf("version %q after 10: %v", latest, err)
		}
	}
}
