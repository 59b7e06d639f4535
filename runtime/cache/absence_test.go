package cache_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// An informer waits for a resource that the server does not have, and deletes the objects when the resource
// goes.
func TestResourceComesAndGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		api.Uninstall()
		r := run(t, api, cache.Options[*thing]{Name: "things"})
		recorder, _ := r.handle(cache.HandlerOptions{})
		time.Sleep(time.Hour)
		if n := len(api.Requests()); n > 365 {
			t.Errorf("%d requests in an hour", n)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		err := r.WaitForSync(ctx)
		for _, branch := range []string{`informer "things": not in sync: waiting for the resource to be installed (1h`, "is its CRD installed?"} {
			if err == nil || !strings.Contains(err.Error(), branch) {
				t.Errorf("error lacks %q: %v", branch, err)
			}
		}
		if err := r.HealthCheck(time.Minute)(nil); err != nil {
			t.Errorf("while it waits: %v", err)
		}

		for round := range 2 {
			api.Install()
			created := must[*thing](t)(api.Create(newThing("b")))
			time.Sleep(13 * time.Second)
			expect(t, "store", []string{"b " + created.ResourceVersion}, names(r.Store().List()))
			// Whether a watch still delivers the deletions or not.
			if round == 1 {
				api.Fail(cachetest.Fault{Verb: cachetest.Watch, Times: -1, Err: cachetest.Status(503)})
				api.BreakWatches(cachetest.ErrConnectionReset)
				settle()
			}
			api.Uninstall()
			api.ClearFaults()
			time.Sleep(6 * time.Minute)
			expect(t, "store after it went", nil, names(r.Store().List()))
			if s := r.Status(); s.Phase != cache.PhaseAbsent || s.Objects != 0 {
				t.Errorf("status: %+v", s)
			}
		}
		if err := recorder.Err(); err != nil {
			t.Error(err)
		}
		if n := len(recorder.View()); n != 0 {
			t.Errorf("%d objects whose deletion was not delivered", n)
		}
	})
}

// A 404 does not prove that a resource was removed: a proxy may answer so, or a server that is starting.
func TestAbsenceNeedsProof(t *testing.T) {
	for _, test := range []struct {
		name   string
		source func(cache.Source[*thing]) cache.Source[*thing]
		events []string
	}{
		{"discovery says that it is served", func(source cache.Source[*thing]) cache.Source[*thing] {
			return sourceOf(servedSource{Objects: source, served: true})
		}, []string{"add a 2 initial"}},
		{"discovery does not answer", func(source cache.Source[*thing]) cache.Source[*thing] {
			return sourceOf(servedSource{Objects: source, err: cachetest.Status(404)})
		}, []string{"add a 2 initial"}},
		{"there is no discovery", unordered, []string{"add a 2 initial"}},
		{"discovery says that it is not served", func(source cache.Source[*thing]) cache.Source[*thing] {
			return sourceOf(servedSource{Objects: source})
		}, []string{"add a 2 initial", "delete a 2 unseen"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := cachetest.NewAPI(newThing("a"))
				r := start(t, cache.New(test.source(api.Source()), cache.Options[*thing]{ListWatch: cache.ListWatch{AbsentGrace: 10 * time.Minute}}))
				recorder, _ := r.handle(cache.HandlerOptions{})
				settle()
				api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(404)})
				api.BreakWatches(cachetest.ErrConnectionReset)
				time.Sleep(10 * time.Minute)
				expect(t, "events within the grace period", []string{"add a 2 initial"}, lines(recorder.Events()))
				time.Sleep(time.Hour)
				expect(t, "events after it", test.events, lines(recorder.Events()))
				if s := r.Status(); s.Phase != cache.PhaseAbsent {
					t.Errorf("status: %+v", s)
				}
			})
		})
	}
}

// servedSource is a source with a discovery of its own.
type servedSource struct {
	cache.Objects
	served bool
	err    error
}

func (s servedSource) Describe() cache.SourceInfo {
	return cache.SourceInfo{Served: func(context.Context) (bool, error) { return s.served, s.err }}
}

// With a negative AbsentGrace, an informer keeps the objects of a resource that is gone.
func TestAbsenceOptions(t *testing.T) {
	absent := func(api *cachetest.API[*thing], times int) {
		api.Fail(cachetest.Fault{Times: times, Err: cachetest.Status(404)})
		api.BreakWatches(cachetest.ErrConnectionReset)
	}
	synctest.Test(t, func(t *testing.T) {
		api := cachetest.NewAPI(newThing("a"))
		r := start(t, cache.New(sourceOf(servedSource{Objects: api}), cache.Options[*thing]{ListWatch: cache.ListWatch{AbsentGrace: -1}}))
		recorder, _ := r.handle(cache.HandlerOptions{})
		settle()
		absent(api, -1)
		time.Sleep(time.Hour)
		expect(t, "kept", []string{"add a 2 initial"}, lines(recorder.Events()))
		if s := r.Status(); s.Phase != cache.PhaseAbsent {
			t.Errorf("status: %+v", s)
		}
	})
}
