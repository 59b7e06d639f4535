package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/test/apiserver"

	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// shardChanges is the number of changes of the ranges of informers.
const shardChanges = 1000

// The ranges of informers change often, while objects change and the proxy makes faults. The server filters
// by the ranges or not, or begins or ends to do so while watches are open. In the end each store has the
// same as a list that is filtered by hand, and so has each handler, which has got no event twice.
func TestShards(t *testing.T) {
	t.Cleanup(func() { _, _ = apiserver.FilterShards(false) })
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 1_000_000
	}
	w := newWorld(t, seed)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	w.wild.Set(wildRates)
	var running, writing sync.WaitGroup
	writeCtx, stopWriting := context.WithCancel(ctx)
	defer stopWriting()
	for i := range 4 {
		writer := &writer{client: w.client, name: fmt.Sprint("writer-", i), random: w.fork(), writes: &w.writes}
		writing.Go(func() {
			if err := writer.run(writeCtx); err != nil {
				t.Error(err)
			}
		})
	}
	var shards []*sharded
	for _, by := range []shard.By{shard.UID, shard.Namespace, shard.UID} {
		shards = append(shards, newSharded(ctx, t, w, by, &running))
	}
	for change := range shardChanges {
		if change%50 == 0 {
			if _, err := apiserver.FilterShards(w.random.IntN(2) == 0); err != nil {
				t.Fatal(err)
			}
		}
		s := shards[w.random.IntN(len(shards))]
		ranges, _ := s.Ranges()
		switch other := randomRanges(s.By(), w.random); w.random.IntN(3) {
		case 0:
			s.Set(other)
		case 1:
			s.Set(ranges.Union(other))
		default:
			s.Set(ranges.Minus(other))
		}
		time.Sleep(time.Duration(w.random.IntN(30)) * time.Millisecond)
	}
	stopWriting()
	writing.Wait()
	w.wild.Set(Rates{})
	for deadline := time.Now().Add(settleTimeout); ; time.Sleep(50 * time.Millisecond) {
		var differences []error
		for _, s := range shards {
			if err := s.compare(ctx, w); err != nil {
				differences = append(differences, err)
			}
		}
		if len(differences) == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("seed %d: after %v without faults: %v", seed, settleTimeout, differences)
		}
	}
	for i, s := range shards {
		status := s.informer.Status()
		t.Logf("shard %d: %d objects, %d events, filtered by the %s, %d reconnects, %d relists",
			i, status.Objects, len(s.seen.Events()), s.FilteredBy(orders.GroupVersionResource), status.Reconnects, status.Relists)
		if err := s.seen.Err(); err != nil {
			t.Error(err)
		}
	}
	t.Logf("seed %d: %d writes, %d faults", seed, w.writes.Load(), total(w.counts()))
	stop()
	running.Wait()
	w.wild.Close()
	w.mild.Close()
	wantNoGoroutines(t)
}

// sharded is an informer of a shard, behind the wild proxy.
type sharded struct {
	*shard.Shard
	informer *cache.Informer[*shopv1alpha1.Order]
	seen     *cachetest.Recorder[*shopv1alpha1.Order]
}

func newSharded(ctx context.Context, t *testing.T, w *world, by shard.By, running *sync.WaitGroup) *sharded {
	t.Helper()
	client, err := source.NewClient(w.wild.Config())
	if err != nil {
		t.Fatal(err)
	}
	s := &sharded{Shard: shard.New(by, randomRanges(by, w.random)), seen: &cachetest.Recorder[*shopv1alpha1.Order]{}}
	all := source.New[*shopv1alpha1.Order](client, orders.GroupVersionResource, "")
	s.informer = cache.New(shard.Source(all, s.Shard), cache.Options[*shopv1alpha1.Order]{
		ListWatch: cache.ListWatch{
			IdleTimeout:     2 * time.Second,
			BookmarkTimeout: time.Second,
			OnFailure: func(context.Context, cache.Failure) cache.Decision {
				return cache.Decision{Backoff: 100 * time.Millisecond, Quiet: true}
			},
		},
	})
	if _, err := s.informer.AddHandler(s.seen, cache.HandlerOptions{}); err != nil {
		t.Fatal(err)
	}
	running.Go(func() {
		if err := s.informer.Run(ctx); err != nil {
			t.Error(err)
		}
	})
	return s
}

// randomRanges are some sixteenths of all hashes or, by namespace, some namespaces.
func randomRanges(by shard.By, random *rand.Rand) shard.Ranges {
	var some shard.Ranges
	for range 1 + random.IntN(3) {
		part, _ := shard.Of(random.IntN(16), 16)
		if by.String() == shard.Namespace.String() {
			hash := shard.Hash(fmt.Sprint("namespace-", random.IntN(namespaces)))
			part = shard.Ranges{{First: hash, Last: hash}}
		}
		some = some.Union(part)
	}
	return some
}

// compare compares the store, and what the handler believes, with the objects of the shard
// that a list has.
func (s *sharded) compare(ctx context.Context, w *world) error {
	list, err := orders.client(w.client, "").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var want, stored, believed []string
	for i := range list.Items {
		if obj := &list.Items[i]; s.Has(obj) {
			want = append(want, keyOf(obj).String()+" "+obj.GetResourceVersion())
		}
	}
	for obj := range s.informer.Store().All() {
		stored = append(stored, keyOf(obj).String()+" "+obj.ResourceVersion)
	}
	for key, obj := range s.seen.View() {
		believed = append(believed, key.String()+" "+obj.ResourceVersion)
	}
	slices.Sort(want)
	slices.Sort(stored)
	slices.Sort(believed)
	if !slices.Equal(want, stored) || !slices.Equal(want, believed) {
		return fmt.Errorf("shard by %v: the server has %d objects of it, %q; the store %q; the handler %q", s.By(), len(want), want, stored, believed)
	}
	return nil
}
