package controller_test

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// observed is a server whose watches are late and whose writes are slow or lose their answers. It keeps every
// state that each object ever had.
type observed struct {
	server     *cachetest.Server
	api        *cachetest.API[configMap]
	namespaces *source.Namespaces
	mine       *shard.Shard // nil for all objects

	mu     sync.Mutex
	random *rand.Rand
	// calm ends all disturbances of requests. Late is the most by which an event is late now.
	calm   bool
	late   time.Duration
	states map[key][]state
	// ranges has all ranges that the shard ever had. settled has, for each namespace, the time from which the
	// informer certainly has a list of the server's present history, and goes on with it. refusals counts the
	// refusals of the namespace since its last list.
	ranges   []shard.Ranges
	settled  map[string]time.Time
	refusals map[string]int
}

// state is a state of an object on the server; the zero value is its absence. A restored server gives out
// versions again, and the stamp tells their states apart.
type state struct {
	uid            types.UID
	version, stamp string
	refused        bool // by the transform
}

// lateBy is the most by which an event is ever late, lateInPeace the most in peace: a watch that asks for the
// server's version ends after six seconds, of which the server takes three.
const lateBy, lateInPeace = 10 * time.Second, 2 * time.Second

// unknown is a time later than all others.
var unknown = time.Unix(1<<40, 0)

func stateOf(obj configMap, err error) state {
	if err != nil {
		return state{}
	}
	return state{obj.UID, obj.ResourceVersion, obj.Data["stamp"], obj.Labels["transform"] == "refuse"}
}

// call is one call of a client that writes an object. The context of its requests has it.
type call struct {
	object key
	made   *ownWrite
}

type callKey struct{}

// ownWrite is a write that the server has made: the state that the object had then, by its number.
type ownWrite struct {
	call   string
	object key
	state  int
	ranges int
	at     time.Time
}

func (o *observed) upTo(d time.Duration) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.calm {
		return 0
	}
	return time.Duration(o.random.Int64N(int64(d + 1)))
}

// lateness returns how late an event is.
func (o *observed) lateness() time.Duration {
	o.mu.Lock()
	late := o.late
	o.mu.Unlock()
	return o.upTo(o.upTo(late))
}

// fates are the faults of writes.
var fates = []cachetest.Fault{
	{Err: cachetest.ErrConnectionRefused},
	{Err: cachetest.ErrConnectionReset},
	{Err: cachetest.ErrConnectionReset, Opened: true},
	{Err: cachetest.ErrTruncated},
	{Err: cachetest.Status(http.StatusConflict)},
	{Err: cachetest.Status(http.StatusGatewayTimeout), Opened: true},
	{Err: cachetest.StatusRetryAfter(http.StatusTooManyRequests, 1)},
	{Err: cachetest.StatusRetryAfter(http.StatusInternalServerError, 1)},
	{Err: cachetest.StatusRetryAfter(http.StatusInternalServerError, 1), Opened: true},
}

func isWrite(r cachetest.Request) bool {
	return slices.Contains([]cachetest.Verb{cachetest.Create, cachetest.Update, cachetest.Patch, cachetest.Delete}, r.Verb)
}

// RoundTrip implements http.RoundTripper.
func (o *observed) RoundTrip(req *http.Request) (*http.Response, error) {
	write, _ := req.Context().Value(callKey{}).(*call)
	if req.Method == http.MethodGet || write == nil {
		return o.read(req)
	}
	time.Sleep(o.upTo(300 * time.Millisecond))
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	resp, err := o.write(req, write)
	time.Sleep(o.upTo(300 * time.Millisecond))
	if ended := req.Context().Err(); ended != nil && err == nil {
		_ = resp.Body.Close()
		return nil, ended
	}
	return resp, err
}

// read passes a list or watch to the server.
func (o *observed) read(req *http.Request) (*http.Response, error) {
	query, path := req.URL.Query(), strings.Split(req.URL.Path, "/")
	o.mu.Lock()
	resp, err := o.server.RoundTrip(req)
	if single := len(path) > 6 || query.Get("limit") == "1" || query.Has("fieldSelector"); err == nil && !single {
		o.noteResponse(path[4], resp.StatusCode, !query.Has("watch") || query.Get("sendInitialEvents") == "true")
	}
	o.mu.Unlock()
	if err == nil && query.Has("watch") {
		resp.Body = &lateBody{ReadCloser: resp.Body, ctx: req.Context(), late: o.lateness}
	}
	return resp, err
}

// noteResponse notes a response to the informer. A namespace that is refused three times without a list is left
// out. The caller holds mu.
func (o *observed) noteResponse(namespace string, code int, list bool) {
	switch {
	case code == http.StatusForbidden:
		if o.refusals[namespace]++; o.refusals[namespace] > 2 {
			o.settled[namespace] = unknown
		}
	case code == http.StatusOK && list:
		o.refusals[namespace] = 0
		if o.settled[namespace].Equal(unknown) {
			o.settled[namespace] = time.Now().Add(lateBy + time.Second)
		}
	}
}

// write passes a write to the server, with a fate.
func (o *observed) write(req *http.Request, c *call) (*http.Response, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if fate := o.random.IntN(3 * len(fates)); fate < len(fates) && !o.calm {
		fault := fates[fate]
		fault.If = isWrite
		o.api.Fail(fault)
	}
	before := len(o.states[c.object])
	resp, err := o.server.RoundTrip(req.Clone(context.WithoutCancel(req.Context()))) // a write that has arrived is not cancelled
	o.observe(c.object)
	// To delete what is being deleted changes nothing; of an update that changes nothing, the answer has the state.
	now, answered := len(o.states[c.object]), err == nil && resp.StatusCode/100 == 2
	if now > before || answered && req.Method != http.MethodDelete {
		c.made = &ownWrite{req.Method, c.object, now - 1, len(o.ranges) - 1, time.Now()}
	}
	return resp, err
}

// observe notes the state of an object. The caller holds mu.
func (o *observed) observe(k key) {
	now := stateOf(o.api.Get(k))
	if all := o.states[k]; len(all) == 0 || all[len(all)-1] != now {
		o.states[k] = append(all, now)
	}
}

// change changes the server, and notes what becomes of some objects.
func (o *observed) change(f func(), objects ...key) {
	o.mu.Lock()
	defer o.mu.Unlock()
	f()
	for _, k := range objects {
		o.observe(k)
	}
}

// unsettle notes that the informer has to list a namespace before something is known of it. The caller holds
// mu.
func (o *observed) unsettle(which func(namespace string, settled bool) bool) {
	for namespace, since := range o.settled {
		if which(namespace, !since.After(time.Now())) {
			o.settled[namespace] = unknown
		}
	}
}

// allSettled reports whether the informer certainly knows every namespace that it follows.
func (o *observed) allSettled() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !slices.ContainsFunc(o.namespaces.Names(), func(namespace string) bool { return o.settled[namespace].After(time.Now()) })
}

// now returns how many states an object has had.
func (o *observed) now(k key) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.states[k])
}

// since returns the states of an object from one of them on.
func (o *observed) since(k key, number int) []state {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.states[k][number:])
}

// awaited reports whether a key waits for a write: the informer has followed the object since then, and took each
// of its states.
func (o *observed) awaited(w *ownWrite) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	isRefused := func(s state) bool { return s.refused }
	if o.settled[w.object.Namespace].After(w.at) || slices.ContainsFunc(o.states[w.object][w.state:], isRefused) {
		return false
	}
	var uid types.UID
	for i := w.state; i >= 0 && uid == ""; i-- {
		uid = o.states[w.object][i].uid
	}
	hash := shard.UID.Hash(&metav1.ObjectMeta{UID: uid})
	return o.mine == nil || !slices.ContainsFunc(o.ranges[w.ranges:], func(r shard.Ranges) bool { return !r.Contains(hash) })
}
