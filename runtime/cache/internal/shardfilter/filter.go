// Package shardfilter limits requests, and what is taken of their responses, to a shard.
package shardfilter

import (
	"context"
	"math"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// maxTerms is the largest number of ranges in a selector: some proxies refuse a URL of more
// than 8 KB. If there are more, the server is asked for what is between some of them too.
const maxTerms = 32

// Filter limits the requests of a branch, and what it wants of the responses, to the ranges
// of a shard. The ranges become fewer while the branch runs, and never more. A nil Filter takes
// everything. It is safe for concurrent use.
type Filter struct {
	by   shard.By
	held atomic.Pointer[shard.Ranges]
	// requested are the ranges of the latest request.
	requested atomic.Pointer[shard.Ranges]
	// taken counts the objects in the responses to such requests. foreign reports whether one of
	// them was not requested.
	taken   atomic.Int64
	foreign atomic.Bool
	// report is called when the server has not filtered.
	report func()
}

// New returns a filter for ranges of hashes by a function. It calls report when the server has
// not filtered.
func New(by shard.By, ranges shard.Ranges, report func()) *Filter {
	f := &Filter{by: by, report: report}
	f.Limit(ranges)
	return f
}

// Limit makes ranges those of the filter.
func (f *Filter) Limit(ranges shard.Ranges) { f.held.Store(&ranges) }

// Ranges returns the ranges.
func (f *Filter) Ranges() shard.Ranges { return *f.held.Load() }

// Select returns the options of a request for objects of the ranges only.
func (f *Filter) Select(options metav1.ListOptions) metav1.ListOptions {
	if f != nil {
		setShardSelector(&options, f.by.Selector(f.Ranges().Cover(maxTerms)))
	}
	return options
}

// Request is Select for a list or a watch. What Wants sees from then on is its response.
func (f *Filter) Request(options metav1.ListOptions) metav1.ListOptions {
	if f != nil && options.Continue == "" {
		ranges := f.Ranges().Cover(maxTerms)
		if before := f.requested.Swap(&ranges); before == nil || !before.Equal(ranges) || f.foreign.Load() {
			f.taken.Store(0)
		}
		f.foreign.Store(false)
	}
	return f.Select(options)
}

// Wants reports whether an object of a response belongs to the branch. The hash of a function may
// change with the object: then the store decides, which knows the state before.
func (f *Filter) Wants(obj any) bool {
	if f == nil || !f.by.Served() {
		return true
	}
	m, ok := obj.(metav1.Object)
	return !ok || f.wantsHash(f.by.Hash(m))
}

// BeforeDecoding returns the context of a request whose source asks the filter before it
// decodes an object. Passed is called with the version of each that is dropped then.
func (f *Filter) BeforeDecoding(ctx context.Context, passed func(resourceVersion string)) context.Context {
	if f == nil || !f.by.Served() {
		return ctx
	}
	request := decoding.From(ctx)
	request.Wanted = func(uid, namespace, resourceVersion []byte) bool {
		taken := f.wantsHash(f.by.HashOf(uid, namespace))
		if !taken {
			passed(string(resourceVersion))
		}
		return taken
	}
	return decoding.With(ctx, request)
}

// Has reports whether an object belongs to the branch.
func (f *Filter) Has(obj any) bool {
	m, ok := obj.(metav1.Object)
	return f == nil || !ok || f.Ranges().Contains(f.by.Hash(m))
}

func (f *Filter) wantsHash(hash uint64) bool {
	if requested := f.requested.Load(); requested != nil && !requested.Contains(hash) && !f.foreign.Swap(true) {
		f.report()
	}
	f.taken.Add(1)
	return f.Ranges().Contains(hash)
}

// certain is the least evidence that a server filters: of responses by chance, one in a
// million has as much. It is the negative logarithm.
const certain = 14

// evidence returns how certain it is that the server filters, from its responses so far.
func (f *Filter) evidence() float64 {
	if requested := f.requested.Load(); requested != nil {
		return -float64(f.taken.Load()) * math.Log(requested.Fraction())
	}
	return 0
}

// FilteredBy returns the party that selects the objects, as Status.ShardFilter has it.
func (f *Filter) FilteredBy() string {
	switch {
	case f == nil:
		return ""
	case !f.by.Served() || f.foreign.Load():
		return "client"
	case f.evidence() > certain:
		return "server"
	default:
		return ""
	}
}
