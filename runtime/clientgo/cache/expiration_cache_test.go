package cache

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/tools/cache"
	testclock "k8s.io/utils/clock/testing"
)

// Our expiration stores and client-go's are given the same actions, at the same
// times.
func TestExpirationCacheIsClientGos(t *testing.T) {
	everyChoice(t, 50, 300, func(t *testing.T, c choices) {
		clock := testclock.NewFakeClock(time.Unix(0, 0))
		policy := &TTLPolicy{TTL: time.Minute, Clock: clock}
		expired := [2]chan string{make(chan string, 100), make(chan string, 100)}
		stores := [2]Store{
			cache.NewFakeExpirationStore(thingKey, expired[0], policy, clock),
			NewFakeExpirationStore(thingKey, expired[1], policy, clock),
		}
		for version := 1; len(c) > 0; version++ {
			obj := thing{Key: string(rune('a' + c.of(4))), Version: version}
			action := c.of(7)
			clock.Step(time.Duration(c.of(40)) * time.Second)
			var answers [2][]any
			for i, s := range stores {
				answer := []any{}
				switch action {
				case 0:
					answer = append(answer, s.Add(obj))
				case 1:
					answer = append(answer, s.Update(obj))
				case 2:
					answer = append(answer, s.Delete(obj))
				case 3:
					answer = append(answer, s.Replace([]any{obj, thing{Key: "b", Version: version}}, fmt.Sprint(version)))
				case 4:
					got, exists, err := s.Get(obj)
					answer = append(answer, got, exists, err)
				case 5:
					got, exists, err := s.GetByKey(obj.Key)
					answer = append(answer, got, exists, err)
				case 6:
					list := s.List()
					slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(thing).Key, b.(thing).Key) })
					answer = append(answer, list)
				}
				keys := s.ListKeys()
				slices.Sort(keys)
				gone := []string{}
				for len(expired[i]) > 0 {
					gone = append(gone, <-expired[i])
				}
				slices.Sort(gone)
				answers[i] = append(answer, keys, gone, s.LastStoreSyncResourceVersion())
			}
			if diff := cmp.Diff(answers[0], answers[1]); diff != "" {
				t.Fatalf("action %d (-client-go +ours):\n%s", action, diff)
			}
		}
	})
}

func TestTTLStoreForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := NewTTLStore(thingKey, time.Minute)
		store.Add(thing{Key: "a"})
		time.Sleep(time.Minute)
		if _, exists, _ := store.GetByKey("a"); !exists {
			t.Error("gone after a minute")
		}
		time.Sleep(time.Second)
		if _, exists, _ := store.GetByKey("a"); exists {
			t.Error("there after a minute and a second")
		}
	})
}

// Policies are client-go's, also those that look into an entry.
func TestExpirationStoreTakesAnyPolicy(t *testing.T) {
	store := NewExpirationStore(thingKey, &FakeExpirationPolicy{
		NeverExpire:     sets.New("a"),
		RetrieveKeyFunc: func(obj any) (string, error) { return thingKey(obj.(*cache.TimestampedEntry).Obj) },
	})
	store.Add(thing{Key: "a"})
	store.Add(thing{Key: "b"})
	if diff := cmp.Diff([]any{thing{Key: "a"}}, store.List()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
