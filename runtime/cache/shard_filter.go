package cache

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

// shardFilter limits the requests of a branch, and what it wants of the responses, to the ranges
// of a shard. The ranges become fewer while the branch runs, and never more.
type shardFilter struct {
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

func (f *shardFilter) ranges() shard.Ranges { return *f.held.Load() }

// selecting returns the options of a request for objects of the ranges only. f may be nil.
func (f *shardFilter) selecting(options metav1.ListOptions) metav1.ListOptions {
	if f != nil {
		setShardSelector(&options, f.by.Selector(f.ranges().Cover(maxTerms)))
	}
	return options
}

// request is selecting for a list or a watch. What wants sees from then on is its response.
func (f *shardFilter) request(options metav1.ListOptions) metav1.ListOptions {
	if f != nil && options.Continue == "" {
		ranges := f.ranges().Cover(maxTerms)
		if before := f.requested.Swap(&ranges); before == nil || !before.Equal(ranges) || f.foreign.Load() {
			f.taken.Store(0)
		}
		f.foreign.Store(false)
	}
	return f.selecting(options)
}

// wants reports whether an object of a response belongs to the branch. The hash of a function may
// change with the object: then the store decides, which knows the state before.
func (f *shardFilter) wants(obj any) bool {
	if f == nil || !f.by.Served() {
		return true
	}
	m, ok := obj.(metav1.Object)
	return !ok || f.wantsHash(f.by.Hash(m))
}

// beforeDecoding returns the context of a request whose source asks the filter before it
// decodes an object. Passed is called with the version of each that is dropped then.
func (f *shardFilter) beforeDecoding(ctx context.Context, passed func(resourceVersion string)) context.Context {
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

// has reports whether an object belongs to the branch. f may be nil.
func (f *shardFilter) has(obj any) bool {
	m, ok := obj.(metav1.Object)
	return f == nil || !ok || f.ranges().Contains(f.by.Hash(m))
}

func (f *shardFilter) wantsHash(hash uint64) bool {
	if requested := f.requested.Load(); requested != nil && !requested.Contains(hash) && !f.foreign.Swap(true) {
		f.report()
	}
	f.taken.Add(1)
	return f.ranges().Contains(hash)
}

// certain is the least evidence that a server filters: of responses by chance, one in a
// million has as much. It is the negative logarithm.
const certain = 14

// evidence returns how certain it is that the server filters, from its responses so far.
func (f *shardFilter) evidence() float64 {
	if requested := f.requested.Load(); requested != nil {
		return -float64(f.taken.Load()) * math.Log(requested.Fraction())
	}
	return 0
}

// filteredBy returns the party that selects the objects, as Status.ShardFilter has it. f may
// be nil.
func (f *shardFilter) filteredBy() string {
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
