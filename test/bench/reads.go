package main

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	toolscache "k8s.io/client-go/tools/cache"
)

// read is one way to read a store. It returns how many objects it was given.
type read struct {
	name string
	// want is the number of objects to read.
	want int
	// do reads either store. If typed is set, it stands for do on ours.
	do    func(*clientGoAPI) int
	typed func(typedStore) int
	goal  []measure
}

// The goals are about stores of 100,000 objects, lists of 1,000 in one namespace,
// and 100 hits in an index.
const (
	goalSize      = 100_000
	goalNamespace = 1_000
	goalHits      = 100
)

var (
	listGoal   = []measure{{unit: nanoseconds, times: 20, ofFloor: 1.25}, {unit: allocations, atMost: 1}}
	lookupGoal = []measure{{unit: nanoseconds, times: 10, ofFloor: 1.25}, {unit: allocations, atMost: 1}}
	getGoal    = []measure{{unit: nanoseconds, times: 2.5}, {unit: allocations, none: true}}
	eachGoal   = []measure{{unit: nanoseconds}, {unit: allocations, none: true}}

	everything = labels.Everything()
	onePercent = labels.SelectorFromSet(labels.Set{"percent": "7"})
)

// reads are lists and lookups in stores of all sizes. They go through a generated lister, through
// client-go's Indexer, and through the typed store itself, which is compared with client-go's way to the
// same result.
func reads(s scale) []workload {
	var all []workload
	for _, n := range s.objects {
		for _, r := range append(readsOfAll(n), readsOfSome(n)...) {
			all = append(all, r.workload(n))
		}
	}
	return all
}

func readsOfAll(n int) []read {
	list := func(f *clientGoAPI) int { return count(f.lister.List(everything)) }
	match := func(f *clientGoAPI) int { return count(f.lister.List(onePercent)) }
	name := types.NamespacedName{Namespace: namespaceOf(0), Name: "thing-7"}
	get := func(f *clientGoAPI) int { return one(f.in[0].Get(name.Name)) }
	key := name.String()
	return []read{
		{name: "lister/list", want: n, do: list, goal: listGoal},
		{name: "store/list", want: n, do: list, typed: func(s typedStore) int { return len(s.List()) }, goal: listGoal},
		{name: "indexer/list", want: n, do: func(f *clientGoAPI) int { return len(f.indexer.List()) }},
		{name: "store/each", want: n, do: eachIn(metav1.NamespaceAll, everything), typed: each, goal: eachGoal},
		{name: "lister/match=1%", want: n / 100, do: match},
		{name: "store/match=1%", want: n / 100, do: match, typed: eachMatch},
		{name: "indexer/match=1%", want: n / 100, do: eachIn(metav1.NamespaceAll, onePercent)},
		{name: "lister/get", want: 1, do: get, goal: getGoal},
		{name: "store/get", want: 1, do: get, typed: func(s typedStore) int {
			t, _ := s.Get(name)
			return one(t, nil)
		}, goal: getGoal},
		{name: "indexer/get", want: 1, do: func(f *clientGoAPI) int {
			_, ok, err := f.indexer.GetByKey(key)
			return one(ok, err)
		}},
	}
}

// readsOfSome are reads of a namespace, and reads by an index.
func readsOfSome(n int) []read {
	var all []read
	for g, hits := range namespaceSizes {
		if !complete(n, g, namespaceSizes) {
			continue
		}
		namespace, goal := namespaceOf(g), goalFor(hits == goalNamespace, listGoal)
		list := func(f *clientGoAPI) int { return count(f.in[g].List(everything)) }
		all = append(all,
			read{name: fmt.Sprintf("lister/namespace=%d", hits), want: hits, do: list, goal: goal},
			read{name: fmt.Sprintf("store/namespace=%d", hits), want: hits, do: list, typed: func(s typedStore) int {
				return len(s.ListNamespace(namespace))
			}, goal: goal},
			read{name: fmt.Sprintf("indexer/namespace=%d", hits), want: hits, do: eachIn(namespace, everything)})
	}
	for g, hits := range ownerSizes {
		if !complete(n, g, ownerSizes) {
			continue
		}
		index, value := indexName(1), ownerOf(g)
		find := func(f *clientGoAPI) int { return count(f.indexer.ByIndex(index, value)) }
		all = append(all,
			read{name: fmt.Sprintf("store/index=%d", hits), want: hits, do: find, typed: func(s typedStore) int {
				return count(s.ByIndex(index, value))
			}, goal: goalFor(hits == goalHits, lookupGoal)},
			read{name: fmt.Sprintf("indexer/index=%d", hits), want: hits, do: find})
	}
	return all
}

func goalFor(wanted bool, goal []measure) []measure {
	if !wanted {
		return nil
	}
	return goal
}

// eachIn is client-go's way to visit objects without a list of them.
func eachIn(namespace string, selector labels.Selector) func(*clientGoAPI) int {
	return func(f *clientGoAPI) (n int) {
		if toolscache.ListAllByNamespace(f.indexer, namespace, selector, func(any) { n++ }) != nil {
			return -1
		}
		return n
	}
}

func each(s typedStore) (n int) {
	for t := range s.All() {
		n += one(t, nil)
	}
	return n
}

func eachMatch(s typedStore) (n int) {
	for t := range s.All() {
		if onePercent.Matches(labels.Set(t.Labels)) {
			n++
		}
	}
	return n
}

// count is -1 if there was an error.
func count[T any](objs []T, err error) int {
	if err != nil {
		return -1
	}
	return len(objs)
}

// one is 1 for anything but the zero value.
func one[T comparable](v T, err error) int {
	if v == *new(T) || err != nil {
		return -1
	}
	return 1
}

func (r read) workload(n int) workload {
	w := workload{
		name:   fmt.Sprintf("reads/%s/objects=%d", r.name, n),
		theirs: r.measured(n, func(s *stores) int { return r.do(&s.theirs) }),
		ours:   r.measured(n, func(s *stores) int { return r.do(&s.ours) }),
	}
	if r.typed != nil {
		w.ours = r.measured(n, func(s *stores) int { return r.typed(s.typed) })
	}
	if n > goalSize {
		w.rounds = 3 // a garbage collection before each takes its time
	}
	if n == goalSize {
		w.show = r.goal
		if slices.ContainsFunc(r.goal, func(m measure) bool { return m.ofFloor > 0 }) {
			w.floor = copying(r.want)
		}
	}
	return w
}

func (r read) measured(n int, do func(*stores) int) func(*testing.B) {
	return func(b *testing.B) {
		s := storesOf(b, n)
		b.ReportAllocs()
		for b.Loop() {
			if got := do(s); got != r.want {
				check(b, fmt.Errorf("got %d objects, want %d", got, r.want))
			}
		}
	}
}

// kept lets nothing be left out by the compiler.
var kept []*thing

// copying is one make and one copy: the least that a list of n can be.
func copying(n int) func(*testing.B) {
	return func(b *testing.B) {
		from := things(n)
		for b.Loop() {
			to := make([]*thing, n)
			copy(to, from)
			kept = to
		}
	}
}
