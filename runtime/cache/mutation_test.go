package cache

import (
	"strings"
	"testing"
	"time"
)

func TestMutationDetector(t *testing.T) {
	d := newMutationDetector[*thing]("things")
	quiet, loud := newThing("ns", "quiet", "1"), newThing("ns", "loud", "1")
	d.add(quiet)
	d.add(loud)
	if err := d.compare(time.Now()); err != nil {
		t.Fatal(err)
	}
	loud.Labels = map[string]string{"changed": "yes"}
	err := d.compare(time.Now())
	if err == nil || !strings.Contains(err.Error(), `informer "things": object "ns/loud" of the cache was mutated`) {
		t.Errorf("got %v", err)
	}
	loud.Labels = nil
	if err := d.compare(time.Now().Add(2 * mutationRetention)); err != nil || len(d.watched) != 0 {
		t.Errorf("after the retention: %v, %d objects watched", err, len(d.watched))
	}
}

func TestMutationDetectionSwitch(t *testing.T) {
	for value, want := range map[string]bool{"": false, "false": false, "true": true, "1": true, "maybe": false} {
		t.Setenv(mutationDetectorVariable, value)
		if got := mutationDetection(); got != want {
			t.Errorf("%q: got %v", value, got)
		}
	}
}
