package protocol

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func TestBackoff(t *testing.T) {
	type step struct {
		watched   time.Duration // how long a watch lasts before the failure, if there is one
		succeeded bool          // whether a request succeeds before it
		server    Health
		atLeast   time.Duration
		want      time.Duration
	}
	seconds := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	usual := wait.Backoff{Duration: time.Second, Factor: 2, Steps: 10, Cap: 30 * time.Second}
	for _, test := range []struct {
		name    string
		initial wait.Backoff
		steps   []step
	}{
		{"grows from failure to failure, up to its cap", usual, []step{
			{want: seconds(1)}, {want: seconds(2)}, {want: seconds(4)}, {want: seconds(8)}, {want: seconds(16)}, {want: seconds(30)}, {want: seconds(30)},
		}},
		{"is no less than the server asks for", usual, []step{
			{server: unavailable, atLeast: time.Hour, want: time.Hour}, {server: unavailable, want: seconds(2)},
		}},
		{"begins again when the server answers at all", usual, []step{
			{want: seconds(1)}, {want: seconds(2)}, {want: seconds(4)},
			{server: unavailable, want: seconds(1)}, {server: unavailable, want: seconds(2)},
			{server: answering, want: seconds(1)}, {server: answering, want: seconds(2)},
		}},
		{"goes on when the server gets worse", usual, []step{
			{server: answering, want: seconds(1)}, {server: unavailable, want: seconds(2)}, {server: unreachable, want: seconds(4)},
		}},
		{"begins again when a server that was not there serves a request", usual, []step{
			{want: seconds(1)}, {want: seconds(2)}, {succeeded: true, want: seconds(1)},
		}},
		{"goes on when lists succeed and watches are refused", usual, []step{
			{server: answering, want: seconds(1)},
			{server: answering, succeeded: true, want: seconds(2)},
			{server: answering, succeeded: true, want: seconds(4)},
		}},
		{"begins again when the resource is found to be absent", usual, []step{
			{server: answering, want: seconds(1)}, {server: answering, want: seconds(2)}, {server: answering, want: seconds(4)},
			{server: absent, want: seconds(1)}, {server: absent, want: seconds(2)},
			{server: unavailable, want: seconds(4)}, {server: answering, want: seconds(1)},
		}},
		{"begins again when the server begins to say when to retry", usual, []step{
			{server: unavailable, want: seconds(1)}, {server: unavailable, want: seconds(2)}, {server: unavailable, want: seconds(4)},
			{server: limiting, atLeast: seconds(1), want: seconds(1)}, {server: limiting, atLeast: seconds(1), want: seconds(2)},
			{server: answering, want: seconds(4)}, {server: answering, want: seconds(8)},
			{server: limiting, atLeast: seconds(1), want: seconds(1)},
		}},
		{"goes on when lists succeed and there are no watches", usual, []step{
			{server: absent, want: seconds(1)},
			{server: absent, succeeded: true, want: seconds(2)},
			{server: absent, succeeded: true, want: seconds(4)},
		}},
		{"goes on when lists succeed and watches fail", usual, []step{
			{server: unavailable, want: seconds(1)},
			{server: unavailable, succeeded: true, want: seconds(2)},
		}},
		{"begins again when a watch lasted for ten times the last delay", usual, []step{
			{want: seconds(1)}, {want: seconds(2)},
			{watched: seconds(20), want: seconds(4)},
			{watched: seconds(41), want: seconds(1)},
			{watched: seconds(9), want: seconds(2)},
		}},
		{"begins again when a watch lasted for two minutes", usual, []step{
			{want: seconds(1)}, {want: seconds(2)}, {want: seconds(4)}, {want: seconds(8)}, {want: seconds(16)}, {want: seconds(30)},
			{watched: longWatch + 1, want: seconds(1)},
		}},
		{"is a tenth of a second at the least", wait.Backoff{}, []step{
			{want: seconds(0.1)}, {want: seconds(0.1)}, {server: answering, want: seconds(0.1)},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := NewBackoff(test.initial, func(time.Duration) time.Duration { return 0 })
			for i, step := range test.steps {
				b.Watched(step.watched)
				if step.succeeded {
					b.Succeeded()
				}
				if got := b.Delay(step.server, step.atLeast); got != step.want {
					t.Fatalf("delay %d: got %v, want %v", i, got, step.want)
				}
			}
		})
	}
}

func TestHealthOf(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	for _, test := range []struct {
		err  error
		want Health
	}{
		{io.ErrUnexpectedEOF, unreachable},
		{failure.ErrListIdle, unreachable},
		{apierrors.NewInternalError(errors.New("x")), unavailable},
		{apierrors.NewTooManyRequests("later", 0), unavailable},
		{apierrors.NewForbidden(pods, "", errors.New("no role")), answering},
		{apierrors.NewResourceExpired("x"), answering},
		{failure.ErrWatchTooShort, answering},
		{fmt.Errorf("list: %w", apierrors.NewTooManyRequests("initializing", 1)), limiting},
		{apierrors.NewGenericServerResponse(http.StatusServiceUnavailable, "get", pods, "", "", 5, true), limiting},
		{apierrors.NewGenericServerResponse(http.StatusNotFound, "get", pods, "", "", 0, true), absent},
	} {
		if got := HealthOf(test.err); got != test.want {
			t.Errorf("%v: got %v, want %v", test.err, got, test.want)
		}
	}
}

// Jitter lengthens each delay by up to its factor, and a seed repeats it.
func TestBackoffJitter(t *testing.T) {
	delays := func(seed uint64) (all []time.Duration) {
		random := rand.New(rand.NewPCG(seed, 0))
		b := NewBackoff(wait.Backoff{Duration: time.Second, Jitter: 0.5}, func(limit time.Duration) time.Duration {
			return time.Duration(random.Int64N(int64(limit)))
		})
		for range 100 {
			all = append(all, b.Delay(unreachable, 0))
		}
		return all
	}
	first := delays(1)
	for i, d := range first {
		if d < time.Second || d >= 3*time.Second/2 {
			t.Errorf("delay %d: %v, want 1s to 1.5s", i, d)
		}
	}
	if slices.Min(first) > 1100*time.Millisecond || slices.Max(first) < 1400*time.Millisecond {
		t.Errorf("delays from %v to %v, want nearly 1s to 1.5s", slices.Min(first), slices.Max(first))
	}
	if !slices.Equal(first, delays(1)) || slices.Equal(first, delays(2)) {
		t.Error("delays: not those of the seed")
	}
}
