package cache

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/leftout"
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

func keyIn(namespace string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: "a"}
}

// refusal is the delta of an object that a scope has left out.
func refusal(from *scope, key types.NamespacedName) delta {
	return delta{kind: bookmarked, from: from, list: &wholeList{leftOut: map[types.NamespacedName]leftout.State{key: {Why: "refused"}}}}
}

// listOf is the delta of a list of a scope without objects but for some that were left out.
func listOf(from *scope, keys ...types.NamespacedName) delta {
	d := delta{kind: replaced, from: from, list: &wholeList{leftOut: map[types.NamespacedName]leftout.State{}}}
	for _, key := range keys {
		d.list.leftOut[key] = leftout.State{Why: "refused"}
	}
	return d
}

// What a scope leaves out is left out until the object is taken or gone, or the scope has left.
func TestScopesLeaveOut(t *testing.T) {
	one, other := &scope{key: types.NamespacedName{Namespace: "one"}}, &scope{key: types.NamespacedName{Namespace: "other"}}
	leave := delta{kind: removed, list: &wholeList{gone: []*scope{one}}}
	for _, test := range []struct {
		name   string
		deltas []delta
		want   string
	}{
		{"both", []delta{refusal(one, keyIn("one")), refusal(other, keyIn("other"))}, "2 one/a other/a"},
		{"one has listed", []delta{refusal(one, keyIn("one")), refusal(other, keyIn("other")), listOf(one)}, "1 other/a"},
		{"one has listed it", []delta{refusal(other, keyIn("other")), listOf(one, keyIn("one"))}, "2 one/a other/a"},
		{"taken", []delta{refusal(one, keyIn("one")), {kind: set, key: keyIn("one"), Received: protocol.Received{Object: &thing{}}, from: one}}, "0 "},
		{"deleted", []delta{refusal(one, keyIn("one")), {kind: deleted, key: keyIn("one"), from: one}}, "0 "},
		{"looked up", []delta{refusal(one, keyIn("one")), {kind: bookmarked, key: keyIn("one"), from: one}}, "0 "},
		{"another object is taken", []delta{refusal(one, keyIn("one")), {kind: set, key: types.NamespacedName{Namespace: "one", Name: "b"}, Received: protocol.Received{Object: &thing{}}, from: one}}, "1 one/a"},
		{"an event is passed", []delta{refusal(one, types.NamespacedName{}), {kind: bookmarked, from: one}}, "1 "},
		{"the namespace has left", []delta{refusal(one, keyIn("one")), refusal(other, keyIn("other")), leave}, "1 other/a"},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := newThingStore(t, nil)
			to := &newReading(store.Store).fanout
			store.core.commit(test.deltas, to)
			count, reasons := store.core.leftOut.Reasons()
			names := slices.Sorted(maps.Keys(reasons))
			if got := fmt.Sprintf("%d %s", count, strings.Join(names, " ")); got != test.want {
				t.Errorf("left out: %q, want %q", got, test.want)
			}
		})
	}
}

// A reader never finds that an object is absent which is left out, taken and left out again.
func TestFindWhileLeftOut(t *testing.T) {
	store := newThingStore(t, nil)
	key := keyIn("ns")
	a := newThing("ns", "a", "1", "")
	taken := delta{kind: set, key: key, Received: protocol.Received{Object: a}}
	store.core.commit([]delta{refusal(nil, key)}, &newReading(store.Store).fanout)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		to := &newReading(store.Store).fanout
		for !closed(stop) {
			store.core.commit([]delta{taken}, to)
			store.core.commit([]delta{{kind: deleted, key: key}, refusal(nil, key)}, to)
			store.core.commit([]delta{listOf(nil, key)}, to)
			store.core.commit(listed([]*thing{a}), to)
			store.core.commit([]delta{listOf(nil, key)}, to)
		}
	}()
	for range 200_000 {
		obj, exists, err := store.core.Find(key)
		if exists != (err == nil) || exists != (obj != nil) || err != nil && !errors.Is(err, failure.ErrLeftOut) {
			t.Errorf("got %v, %v, %v", obj, exists, err)
			break
		}
	}
	close(stop)
	<-ended
}
