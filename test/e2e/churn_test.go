package e2e

import (
	"context"
	"testing"

	"golang.org/x/sync/errgroup"
	clientfeatures "k8s.io/client-go/features"
	clientfeaturestesting "k8s.io/client-go/features/testing"
)

// All together, in the core and the compatibility layer: four writers create, update and delete 2,000
// objects of three resources, some of them before the informers start. Handlers that are quick, that work
// and that do nothing until the end are there, join late, or come and go. In the end the cache is equal to
// the API server's list, every index to a scan, and every handler's view to the cache. After the shutdown
// no goroutine is left.
//
// It runs in the way in which informers fetch their first state by default, and with LIST and WATCH. The
// default is a watch-list, for which a server without watch-lists is asked once.
func TestChurn(t *testing.T) {
	for _, mode := range []struct {
		name      string
		watchList bool
	}{{"watch-list", true}, {"list", false}} {
		t.Run(mode.name, func(t *testing.T) {
			clientfeaturestesting.SetFeatureDuringTest(t, clientfeatures.WatchListClient, mode.watchList)
			line := testChurn(t, shop, 2000, undisturbed)
			lists, watchLists := line.count(isList), line.count(isWatchList)
			var wantLists, wantWatchLists int
			if mode.watchList {
				wantWatchLists = len(shop.kinds)
			}
			if !mode.watchList || !server.WatchList() {
				wantLists = len(shop.kinds)
			}
			if lists != wantLists || watchLists != wantWatchLists {
				t.Errorf("got %d lists and %d watch-lists, want %d and %d", lists, watchLists, wantLists, wantWatchLists)
			}
		})
	}
}

// The same while the connections of the watches break again and again.
func TestChurnWithBrokenWatches(t *testing.T) {
	cuts := 0
	line := testChurn(t, shop, 2000, func(ctx context.Context, line *line) {
		// Cut when every informer has a watch open, and only some times: an
		// informer waits longer after each failure.
		for i := range 3 {
			if line.waitWatches(ctx, (i+1)*len(shop.kinds)) == nil {
				line.cut()
				cuts++
			}
		}
	})
	if cuts == 0 {
		t.Error("no connection was cut")
	}
	t.Logf("cut %d times, %d requests were made", cuts, line.count(func(call) bool { return true }))
}

// The same, with fewer objects, with several groups and versions.
func TestChurnOfSeveralGroups(t *testing.T) {
	testChurn(t, multigroup, 1000, undisturbed)
}

// The same with informers that list and watch through a clientset.
func TestChurnWithClientset(t *testing.T) {
	testChurn(t, sample, 1000, undisturbed)
}

func undisturbed(context.Context, *line) {}

// testChurn runs the scenario, with disturb at work as long as the writers are.
func testChurn(t *testing.T, api example, objects int, disturb func(context.Context, *line)) *line {
	cfg, client := playground(t, api.kinds...)
	line := newLine(t, cfg)
	factory, subjects := api.subjects(t, cfg)
	work := func(prefix string, objects int) workload {
		return workload{client: client, kinds: api.kinds, prefix: prefix, objects: objects, writers: 4}
	}
	ctx := t.Context()
	if err := work("before", objects/5).run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		s.join(t, "early")
	}
	stop := startFactory(t, factory, subjects)
	for _, s := range subjects {
		s.wantSynced(t)
	}

	writing, written := context.WithCancel(ctx)
	defer written()
	var others errgroup.Group
	for _, s := range subjects {
		others.Go(func() error { return s.comeAndGo(writing) })
	}
	others.Go(func() error { disturb(writing, line); return nil })

	if err := work("then", objects*2/5).run(ctx); err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		s.join(t, "late")
	}
	final := work("later", objects*2/5)
	if err := final.run(ctx); err != nil {
		t.Fatal(err)
	}
	if err := final.finish(ctx); err != nil {
		t.Fatal(err)
	}
	written()
	if err := others.Wait(); err != nil {
		t.Error(err)
	}
	for _, s := range subjects {
		s.release()
	}
	if err := factory.WaitForSync(withPatience(t)); err != nil {
		t.Error(err)
	}
	for _, s := range subjects {
		s.wantAgreement(t, client)
	}
	stop()
	return line
}
