package cache

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// shardPlan divides a shard into as many parts as there are to be streams. Hashes that the
// shard gains are a part of their own, until they are listed: then it is made one with
// another, whose watch goes on with all of them. Of a source whose versions can't be compared,
// it stays a part, until there are too many of them.
type shardPlan struct {
	shard   *shard.Shard
	source  Source[any]
	streams int
	// report logs that the server does not filter.
	report func()
	// ordered is whether the versions of two watches of the source can be compared.
	ordered bool
}

func newShardPlan(i *informer) *shardPlan {
	p := &shardPlan{
		shard:   i.options.Shard,
		source:  i.source,
		streams: i.options.Streams,
		ordered: i.about.OrderedResourceVersions,
	}
	if p.shard == nil {
		p.shard = shard.New(shard.UID, shard.All())
	}
	if !p.shard.By().Served() {
		p.streams = 1 // each would get all objects
	}
	var once sync.Once
	p.report = func() {
		once.Do(func() {
			klog.FromContext(i.context).Info("Server does not filter by shard, objects of others are dropped here", "shardedBy", p.shard.By())
		})
	}
	return p
}

func (p *shardPlan) next(before []*part) ([]*part, <-chan struct{}, error) {
	gained, changed := p.shard.Ranges()
	wanted := gained
	var next []*part
	for _, old := range before {
		has := old.filter.ranges()
		gained = gained.Minus(has)
		if has = has.Intersect(wanted); len(has) > 0 {
			old.filter.held.Store(&has)
			next = append(next, old)
		}
	}
	n := 1
	if len(next) == 0 {
		n = max(1, p.streams)
	}
	for _, ranges := range gained.Split(n) {
		next = append(next, p.add(ranges))
	}
	return next, changed, nil
}

func (p *shardPlan) add(ranges shard.Ranges) *part {
	added := newPart(p.source)
	added.filter = &shardFilter{by: p.shard.By(), report: p.report}
	added.filter.held.Store(&ranges)
	return added
}

func (p *shardPlan) assign(parts []*part) *assignment {
	a := &assignment{by: p.shard.By(), cause: &released}
	for _, one := range parts {
		for _, r := range one.filter.ranges() {
			a.ranges = append(a.ranges, assignedRange{r, one})
		}
	}
	slices.SortFunc(a.ranges, func(a, b assignedRange) int { return cmp.Compare(a.First, b.First) })
	return a
}

// maxSurplus is how many watches more than streams there may be, if a list is needed to make
// them one.
const maxSurplus = 8

// spare returns a part that is sent more than it has, since it has lost hashes, or else the
// smallest parts if there are more than streams. If their versions can't be compared, they
// have to be listed to be made one: then all that are too many are, and not each at once.
func (p *shardPlan) spare(parts []*part) (several []*part, relist bool) {
	if at := slices.IndexFunc(parts, func(p *part) bool { return p.filter.tooWide() }); at >= 0 && p.ordered {
		return parts[at : at+1], false
	}
	surplus := len(parts) - max(1, p.streams)
	if surplus <= 0 || !p.ordered && surplus < maxSurplus {
		return nil, false
	}
	several = slices.SortedFunc(slices.Values(parts), func(a, b *part) int {
		return cmp.Compare(a.filter.ranges().Fraction(), b.filter.ranges().Fraction())
	})
	if p.ordered {
		return several[:2], false
	}
	return several[:surplus+1], true
}

func (p *shardPlan) foreign(obj metav1.Object) error {
	return fmt.Errorf("object %s is not of the shard that the informer follows", klog.KObj(obj))
}

func (p *shardPlan) describe(s *Status, parts []*part, statuses []Status) {
	s.Streams = statuses
	ranges, _ := p.shard.Ranges()
	s.Shard = ranges.String()
	for i, part := range parts {
		statuses[i].Name = part.filter.ranges().String()
		statuses[i].ShardFilter = filteredBy(parts[i : i+1])
	}
	s.ShardFilter = filteredBy(parts)
	slices.SortFunc(statuses, func(a, b Status) int { return strings.Compare(a.Name, b.Name) })
}

// resume is where the watch of a part begins that is made of others: at the earliest of
// their versions. What the others have delivered comes once more, and is dropped.
type resume struct {
	version string
	// delivered has the version of each of the others.
	delivered map[*part]string
	was       *assignment
	// unreadable is whether one of them was to list again, since objects can't be decoded.
	unreadable bool
	// lookups are the objects that were still to be looked up.
	lookups []types.NamespacedName
}

// repeats reports whether a delta is one that another part has delivered before. Of an object
// that was to be looked up, that is not known.
func (r *resume) repeats(d *delta) bool {
	if d.kind != set && d.kind != deleted || d.obj == nil || slices.Contains(r.lookups, d.key) {
		return false
	}
	before, ok := r.delivered[r.was.of(d.key, d.obj)]
	return ok && !newer(d.resourceVersion, before)
}

// join ends some parts, and returns one that goes on for all of them, or lists all that they
// have; nil if they are not fit for it now.
func (p *parts) join(several []*part, relist bool) *part {
	joined := newPart(several[0].source)
	joined.filter = &shardFilter{by: several[0].filter.by, report: several[0].filter.report}
	var ranges shard.Ranges
	for _, part := range several {
		if !p.fit(part) || !relist && !isVersion(part.recorder.get().ResourceVersion) {
			return nil
		}
		ranges = ranges.Union(part.filter.ranges())
	}
	joined.filter.held.Store(&ranges)
	if !relist {
		p.resume(joined, several)
	}
	return joined
}

// resume ends some parts, and makes another one go on where they were.
func (p *parts) resume(joined *part, several []*part) {
	from := &resume{delivered: map[*part]string{}, was: p.plan.assign(several)}
	for _, part := range several {
		part.stop()
		<-part.ended
		last := part.recorder.get()
		version := last.ResourceVersion
		from.delivered[part] = version
		// It may have begun to list since it was found fit.
		from.unreadable = from.unreadable || part.reflector.reread.pending || last.Phase != PhaseWatching
		from.lookups = append(from.lookups, part.reflector.lookups.unfinished()...)
		if from.version == "" || older(version, from.version) {
			from.version = version
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	joined.resume, joined.listed, joined.version = from, true, from.version
}

// fit is whether a part follows a watch and has nothing else to do.
func (p *parts) fit(part *part) bool {
	p.mu.Lock()
	listed := part.listed
	p.mu.Unlock()
	return listed && part.recorder.get().Phase == PhaseWatching && !part.reflector.unsettled()
}

// maxTerms is of how many ranges a selector is at the most: some proxies refuse a URL of
// more than 8 KB. Of more ranges, the server is asked for what is between some of them too.
const maxTerms = 32

// shardFilter is what a part of a shard asks the server for, and takes of what it gets. Its
// ranges become fewer while it runs, and never more.
type shardFilter struct {
	by   shard.By
	held atomic.Pointer[shard.Ranges]
	// requested are the ranges of the latest request.
	requested atomic.Pointer[shard.Ranges]
	// taken counts the objects of the responses to such requests, and foreign is whether there was one
	// that was not requested.
	taken   atomic.Int64
	foreign atomic.Bool
	// report is called when the server has not filtered.
	report func()
}

func (f *shardFilter) ranges() shard.Ranges { return *f.held.Load() }

// tooWide is whether the server sends more than the part has, and need not.
func (f *shardFilter) tooWide() bool {
	requested := f.requested.Load()
	return requested != nil && !f.foreign.Load() && !requested.Equal(f.ranges().Cover(maxTerms))
}

// selecting returns the options of a request for objects of the ranges only. f may be nil.
func (f *shardFilter) selecting(options metav1.ListOptions) metav1.ListOptions {
	if f != nil {
		options.ShardSelector = f.by.Selector(f.ranges().Cover(maxTerms))
	}
	return options
}

// request is selecting for a list or a watch. What takes sees from then on is its response.
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

// takes reports whether an object of a response belongs to the part. One that may move to
// another part does in any case: the store decides.
func (f *shardFilter) takes(obj any) bool {
	if f == nil || !f.by.Served() {
		return true
	}
	m, ok := obj.(metav1.Object)
	return !ok || f.takesHash(f.by.Hash(m))
}

// beforeDecoding returns the context of a request whose source asks the filter before it
// decodes an object. Passed is called with the version of each that is dropped then.
func (f *shardFilter) beforeDecoding(ctx context.Context, passed func(resourceVersion string)) context.Context {
	if f == nil || !f.by.Served() {
		return ctx
	}
	return decoding.WithFilter(ctx, func(uid, namespace, resourceVersion []byte) bool {
		taken := f.takesHash(f.by.HashOf(uid, namespace))
		if !taken {
			passed(string(resourceVersion))
		}
		return taken
	})
}

// has reports whether an object belongs to the part. f may be nil.
func (f *shardFilter) has(obj any) bool {
	m, ok := obj.(metav1.Object)
	return f == nil || !ok || f.ranges().Contains(f.by.Hash(m))
}

func (f *shardFilter) takesHash(hash uint64) bool {
	if requested := f.requested.Load(); requested != nil && !requested.Contains(hash) && !f.foreign.Swap(true) {
		f.report()
	}
	f.taken.Add(1)
	return f.ranges().Contains(hash)
}

// certain is how sure it has to be that a server filters: of responses by chance, one in a
// million looks so. It is the negative logarithm.
const certain = 14

// evidence is how certain it is that the server filters, from what has come of it.
func (f *shardFilter) evidence() float64 {
	if requested := f.requested.Load(); requested != nil {
		return -float64(f.taken.Load()) * math.Log(requested.Fraction())
	}
	return 0
}

// filteredBy is who selects the objects of the shard, as Status.ShardFilter has it.
func filteredBy(parts []*part) string {
	evidence := 0.0
	for _, part := range parts {
		if !part.filter.by.Served() || part.filter.foreign.Load() {
			return "client"
		}
		evidence += part.filter.evidence()
	}
	if evidence > certain {
		return "server"
	}
	return ""
}
