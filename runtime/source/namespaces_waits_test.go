package source_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// Whatever comes and goes, namespaces and ranges of a shard, a wait that is over without an error is right about the store, a live read
// is right about the server, and nothing waits for what can come no more.
func TestRandomWaitsInNamespaces(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 30
	}
	for seed := range uint64(seeds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &waitingScript{T: t, random: rand.New(rand.NewPCG(seed, 7)), api: cachetest.NewAPI[object](), restores: seed%2 == 0}
				if seed%3 == 0 {
					s.api.FilterShards(seed%4 < 2)
					s.mine = shard.New(shard.UID, s.ranges())
				}
				s.play()
			})
		})
	}
}

// waitingScript plays what happens to an informer of several namespaces while others wait for it.
type waitingScript struct {
	*testing.T
	random   *rand.Rand
	api      *cachetest.API[object]
	restores bool

	informer   *cache.Informer[object]
	namespaces *source.Namespaces
	mine       *shard.Shard // nil for all objects
	waits      sync.WaitGroup

	mu sync.Mutex
	// histories and sets count the restores of the server, and the changes of the set and of the ranges.
	histories, sets int
	backup          string
}

var allNamespaces = []string{"a", "b", "c", "d"}

func (s *waitingScript) subset() (some []string) {
	for _, namespace := range allNamespaces {
		if s.random.IntN(3) > 0 {
			some = append(some, namespace)
		}
	}
	return some
}

func (s *waitingScript) play() {
	s.namespaces = source.NewNamespaces(s.subset()...)
	all := source.InNamespaces(s.namespaces, s.api.InNamespace)
	if s.mine != nil {
		all = shard.Source(all, s.mine)
	}
	s.informer = cache.New(all, cache.Options[object]{Transform: refuseSome})
	ctx, stop := context.WithCancel(s.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.informer.Run(ctx) }()
	s.backup = s.api.ResourceVersion()
	for range 80 {
		s.step()
	}
	s.api.ClearFaults()
	s.mu.Lock()
	s.sets++
	s.mu.Unlock()
	s.namespaces.Set(allNamespaces...)
	for range 15 {
		time.Sleep(time.Minute)
		s.api.Bookmark()
	}
	s.waits.Wait()
	stop()
	if err := <-ended; err != nil {
		s.Error(err)
	}
}

// refuseSome is a transform that refuses some objects and blanks the metadata of others.
func refuseSome(obj object) (object, error) {
	switch obj.Labels["transform"] {
	case "refuse":
		return nil, errors.New("refused")
	case "blank":
		obj.UID, obj.ResourceVersion = "", ""
	}
	return obj, nil
}

func (s *waitingScript) step() {
	key := types.NamespacedName{Namespace: allNamespaces[s.random.IntN(len(allNamespaces))], Name: fmt.Sprint(s.random.IntN(3))}
	switch s.random.IntN(14) {
	case 0:
		s.mu.Lock()
		s.sets++
		s.mu.Unlock()
		if s.mine != nil && s.random.IntN(2) == 0 {
			s.mine.Set(s.ranges())
		} else {
			s.namespaces.Set(s.subset()...)
		}
		synctest.Wait()
	case 1:
		if obj, err := s.api.Get(key); err == nil {
			_, _ = s.api.Delete(key)
			s.wait("deletion", obj, func(ctx context.Context) error { return s.informer.WaitForDeletion(ctx, obj) }, func() error { return s.checkDeleted(obj) })
		}
	case 2:
		s.api.BreakWatches(errors.New("cut"))
	case 3:
		refused := key.Namespace
		s.api.Fail(cachetest.Fault{If: func(r cachetest.Request) bool { return r.Namespace == refused }, Times: 1 + s.random.IntN(5), Err: cachetest.Status([]int{403, 500, 429}[s.random.IntN(3)])})
	case 4:
		s.api.Compact()
		s.api.CloseWatches()
	case 5, 6:
		time.Sleep(time.Duration(s.random.IntN(5000)) * time.Millisecond)
	case 7:
		s.confirm(key)
	case 8:
		s.waitForLatest()
	case 9:
		s.restore()
	default:
		s.write(key)
	}
}

// ranges returns about half of all hashes.
func (s *waitingScript) ranges() shard.Ranges {
	first := s.random.Uint64N(math.MaxUint64 / 2)
	return shard.Ranges{{First: first, Last: first + math.MaxUint64/2}}
}

// follows reports whether the informer is one of an object.
func (s *waitingScript) follows(obj object) bool {
	return slices.Contains(s.namespaces.Names(), obj.Namespace) && (s.mine == nil || s.mine.Has(obj))
}

// restore takes the server back, or remembers where to.
func (s *waitingScript) restore() {
	if !s.restores || s.random.IntN(2) == 0 {
		s.backup = s.api.ResourceVersion()
		return
	}
	s.mu.Lock()
	s.histories++
	s.mu.Unlock()
	_ = s.api.Restore(s.backup) // an error if it is lost to a compaction
	time.Sleep(15 * time.Minute)
}

func (s *waitingScript) write(key types.NamespacedName) {
	obj := named(key.Namespace, key.Name)
	obj.Labels = map[string]string{"transform": []string{"", "", "refuse", "blank"}[s.random.IntN(4)]}
	written, err := s.api.Update(obj)
	if err != nil {
		if written, err = s.api.Create(obj); err != nil {
			s.Fatal(err)
		}
	}
	s.wait("write", written, func(ctx context.Context) error { return s.informer.WaitForWrite(ctx, written) }, func() error { return s.checkWritten(written) })
}

// wait starts a wait for an object, or for all if that is nil, which is checked when it is over. Without
// restores it fails only for an object that is not followed, or whose namespace is refused.
func (s *waitingScript) wait(what string, obj object, wait func(context.Context) error, check func() error) {
	s.mu.Lock()
	histories, sets := s.histories, s.sets
	s.mu.Unlock()
	s.waits.Go(func() {
		ctx, cancel := context.WithTimeout(s.Context(), 2*time.Hour)
		defer cancel()
		err := wait(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		followed := sets == s.sets && (obj == nil || s.follows(obj))
		switch {
		case histories != s.histories:
		case errors.Is(err, context.DeadlineExceeded):
			s.Errorf("%s of %v: no end: %v", what, obj, err)
		case err == nil && followed:
			if err := check(); err != nil {
				s.Errorf("%s of %v is over: %v", what, obj, err)
			}
		case err != nil && followed && obj != nil && !apierrors.IsForbidden(err):
			s.Errorf("%s of %v: %v", what, obj, err)
		}
	})
}

func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}

func (s *waitingScript) checkWritten(written object) error {
	key := types.NamespacedName{Namespace: written.Namespace, Name: written.Name}
	now, gone := s.api.Get(key)
	stored, exists, leftOut := s.informer.Get(s.Context(), key)
	switch {
	case leftOut != nil:
		return nil //nolint:nilerr // it is seen
	case !exists && gone == nil && now.UID == written.UID && now.ResourceVersion == written.ResourceVersion && written.Labels["transform"] != "refuse":
		return errors.New("store does not have it")
	case exists && stored.Labels["transform"] == "blank", exists && written.Labels["transform"] == "refuse":
		return nil
	case exists && number(stored.ResourceVersion) < number(written.ResourceVersion) && now.GetLabels()["transform"] != "refuse":
		return fmt.Errorf("store has version %s, written was %s", stored.ResourceVersion, written.ResourceVersion)
	}
	return nil
}

func (s *waitingScript) checkDeleted(obj object) error {
	key := types.NamespacedName{Namespace: obj.Namespace, Name: obj.Name}
	if stored, exists, err := s.informer.Get(s.Context(), key); err == nil && exists && stored.UID == obj.UID {
		return errors.New("store has it")
	}
	return nil
}

func (s *waitingScript) confirm(key types.NamespacedName) {
	if !slices.Contains(s.namespaces.Names(), key.Namespace) {
		return
	}
	synctest.Wait()
	want, wantErr := s.api.Get(key)
	got, exists, err := s.informer.Confirm(s.Context(), key)
	if err == nil && (exists != (wantErr == nil) || exists && got.ResourceVersion != want.ResourceVersion) {
		s.Errorf("confirmed: %v, %v; the server has %v, %v", got, exists, want, wantErr)
	}
}

// waitForLatest compares the store with the state that the server had when the wait began.
func (s *waitingScript) waitForLatest() {
	before := s.api.Objects()
	s.wait("latest", nil, s.informer.WaitForLatest, func() error {
		for _, obj := range before {
			if s.follows(obj) && s.known(obj.Namespace) {
				if err := s.checkWritten(obj); err != nil {
					return fmt.Errorf("%s/%s: %w", obj.Namespace, obj.Name, err)
				}
			}
		}
		return nil
	})
}

// known reports whether the informer follows a namespace, and the server does not refuse it.
func (s *waitingScript) known(namespace string) bool {
	for _, status := range s.informer.Status().Namespaces {
		if status.Name == namespace {
			return status.Synced && status.Attempts == 0
		}
	}
	return false
}
