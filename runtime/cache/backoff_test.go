package cache

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

func TestBackoff(t *testing.T) {
	b := backoff{initial: wait.Backoff{Duration: time.Second, Factor: 2, Steps: 10, Cap: 30 * time.Second}}
	now := time.Unix(1_000_000, 0)
	for i, step := range []struct {
		well    time.Duration // since the last rest
		atLeast time.Duration
		want    time.Duration
	}{
		{want: time.Second},
		{want: 2 * time.Second},
		{atLeast: time.Hour, want: time.Hour},
		{want: 8 * time.Second},
		{well: backoffReset, want: 16 * time.Second},
		{want: 30 * time.Second},
		{want: 30 * time.Second},
		{want: 30 * time.Second},
		{want: 30 * time.Second},
		{want: 30 * time.Second}, // two minutes without a success are no reason to begin anew
		{well: backoffReset + 1, want: time.Second},
		{want: 2 * time.Second},
	} {
		now = now.Add(step.well)
		got := b.rest(now, step.atLeast)
		if got != step.want {
			t.Errorf("rest %d: got %v, want %v", i, got, step.want)
		}
		now = now.Add(got)
	}
}
