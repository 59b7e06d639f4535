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
		{"one object decides nothing", "9", []string{"1"}, true, Server{Same: SameContent, DetectsRestart: true, versioned: true}},
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

func TestCheckHistory(t *testing.T) {
	for latest, restarted := range map[string]bool{"9": true, "10": false, "11": false, "": false, "none": false} {
		if err := CheckHistory(latest, "10"); errors.Is(err, failure.ErrHistoryRestarted) != restarted {
			t.Errorf("version %q after 10: %v", latest, err)
		}
	}
}
