package protocol

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
		{"a ListerWatcher of an API server", "9", []string{"1", "2"}, false, Server{Same: SameContent, DetectsRestart: true}},
		{"a fake clientset", "", []string{"", ""}, false, Server{Same: SameContent}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, sample := Server{Since: "7", DetectsRestart: true, versioned: true}, VersionSample{test.versions}
			s.Listed(test.version, &sample, test.ordered)
			if test.want.Since = "7"; s != test.want {
				t.Errorf("got %+v, want %+v", s, test.want)
			}
		})
	}
}

// A list without a version, of a server that had them, is no response of that server.
func TestServerCheck(t *testing.T) {
	for version, want := range map[string]bool{"": true, "0": true, "9": false} {
		for _, s := range []Server{{}, {versioned: true}} {
			err := s.Check(metav1.ListMeta{ResourceVersion: version}, "5")
			if errors.Is(err, failure.ErrUndecodable) != (want && s.versioned) {
				t.Errorf("version %q, %+v: %v", version, s, err)
			}
			if err := s.Check(metav1.ListMeta{ResourceVersion: version, Continue: "more"}, "5"); err != nil {
				t.Errorf("version %q, more pages: %v", version, err)
			}
		}
	}
}

func TestCheckHistory(t *testing.T) {
	for latest, restarted := range map[string]bool{"9": true, "10": false, "11": false, "": false, "none": false} {
		if err := CheckHistory(latest, "10"); errors.Is(err, failure.ErrHistoryRestarted) != restarted {
			t.Errorf("version %q after 10: %v", latest, err)
		}
	}
}
