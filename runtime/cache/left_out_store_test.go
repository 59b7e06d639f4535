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
	"github.com/informer-gen/informer-gen/runtime/cache/internal/protocol"
)

func keyIn(namespace string) types.NamespacedName {
	return types.NamespacedName{Namespace: namespace, Name: "a"}
}

// refusal is the delta of an object that a branch has left out.
func refusal(from *branch, key types.NamespacedName) delta {
	return delta{kind: leftOut, from: from, list: &wholeList{leftOut: map[types.NamespacedName]string{key: "refused"}}}
}

// listOf is the delta of a list of a branch without objects but for some that were left out.
func listOf(from *branch, keys ...types.NamespacedName) delta {
	d := delta{kind: replaced, from: from, list: &wholeList{leftOut: map[types.NamespacedName]string{}}}
	for _, key := range keys {
		d.list.leftOut[key] = "refused"
	}
	return d
}

// What a branch leaves out is left out as long as the object belongs to it, whatever comes late.
func TestBranchesLeaveOut(t *testing.T) {
	plan := &scopePlan{about: &SourceInfo{}}
	one, other := &branch{}, &branch{}
	one.scope.Namespace, other.scope.Namespace = "one", "other"
	assign := func(a *assignment) delta { return delta{kind: assigned, list: &wholeList{assignment: a}} }
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
		{"looked up", []delta{refusal(one, keyIn("one")), {kind: noChange, key: keyIn("one"), from: one}}, "0 "},
		{"another object is taken", []delta{refusal(one, keyIn("one")), {kind: set, key: types.NamespacedName{Namespace: "one", Name: "b"}, Received: protocol.Received{Object: &thing{}}, from: one}}, "1 one/a"},
		{"an event is passed", []delta{refusal(one, types.NamespacedName{}), {kind: noChange, from: one}}, "1 "},
		{"the namespace has left", []delta{refusal(one, keyIn("one")), refusal(other, keyIn("other")), assign(plan.assign([]*branch{other}))}, "1 other/a"},
		{"late", []delta{assign(plan.assign([]*branch{other})), refusal(one, keyIn("one")), listOf(one, keyIn("one"))}, "0 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			store := newThingStore(t, nil)
			to := &newReading(store.Store).fanout
			store.core.commit([]delta{assign(plan.assign([]*branch{one, other}))}, to)
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
