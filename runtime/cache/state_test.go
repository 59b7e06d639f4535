package cache

import (
	"errors"
	"fmt"
	"io"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

var (
	errExpired   = apierrors.NewResourceExpired("too old")
	errGone      = &apierrors.StatusError{ErrStatus: metav1.Status{Reason: metav1.StatusReasonGone}}
	errTooLarge  = apierrors.NewTimeoutError("Too large resource version", 1)
	errBusy      = apierrors.NewTooManyRequests("later", 3)
	errRefused   = fmt.Errorf("dial: %w", syscall.ECONNREFUSED)
	errCut       = fmt.Errorf("read: %w", io.ErrUnexpectedEOF)
	errOdd       = errors.New("read on closed body")
	errForbidden = apierrors.NewForbidden(schema.GroupResource{Resource: "foos"}, "", errors.New("no"))
	errNotFound  = apierrors.NewNotFound(schema.GroupResource{Resource: "foos"}, "")
	errInvalid   = apierrors.NewInvalid(schema.GroupKind{}, "", nil)
)

// The versions and limits of the lists that client-go's reflector asks for, as
// its tests L1 to L8 of the statements have them.
func TestListOptions(t *testing.T) {
	page := func(version, token string) func(state) state {
		return func(s state) state {
			return s.listed(metav1.ListMeta{ResourceVersion: version, Continue: token})
		}
	}
	fail := func(err error) func(state) state {
		return func(s state) state {
			s, _ = s.listFailed(err)
			return s
		}
	}
	relist := func(s state) state {
		s, _ = s.watchEnded(ending{err: errForbidden, opened: true, events: 1, lasted: time.Minute})
		return s
	}
	for _, test := range []struct {
		name     string
		pageSize int64
		steps    []func(state) state
		want     []string // version/limit/token of each request
	}{
		{name: "L1 the first list takes what the server has cached",
			want: []string{"0/500/"}},
		{name: "L1 L2 a relist is no older than what was seen, and not paged",
			steps: []func(state) state{page("10", ""), relist},
			want:  []string{"0/500/", "10/0/"}},
		{name: "L3 a page size holds always",
			pageSize: 7, steps: []func(state) state{page("10", ""), relist},
			want: []string{"0/7/", "10/7/"}},
		{name: "L4 L8 a server that pages version 0 is asked for pages again; pages after the first name no version",
			steps: []func(state) state{page("10", "t"), page("10", ""), relist},
			want:  []string{"0/500/", "/500/t", "10/500/"}},
		{name: "L5 expired: once more at the latest version, then from the new one",
			steps: []func(state) state{page("10", ""), relist, fail(errExpired), page("20", ""), relist},
			want:  []string{"0/500/", "10/0/", "/500/", "20/0/"}},
		{name: "L5 gone is expired, and not asked for a second time at once",
			steps: []func(state) state{page("10", ""), relist, fail(errGone), fail(errGone)},
			want:  []string{"0/500/", "10/0/", "/500/", "/500/"}},
		{name: "L5 L6 too large: the same",
			steps: []func(state) state{page("20", ""), relist, fail(errTooLarge), page("30", ""), relist, fail(errTooLarge), page("40", "")},
			want:  []string{"0/500/", "20/0/", "/500/", "30/0/", "/500/"}},
		{name: "L7 expired between pages: the whole list at the version of the first page",
			pageSize: 5, steps: []func(state) state{page("10", ""), relist, page("11", "t"), fail(errExpired), page("12", "")},
			want: []string{"0/5/", "10/5/", "/5/t", "10/0/"}},
		{name: "a page that was sent before: the whole list, and only once",
			pageSize: 5, steps: []func(state) state{page("10", "t"), fail(errPageRepeated), fail(errPageRepeated)},
			want: []string{"0/5/", "/5/t", "0/0/", "0/5/"}},
		{name: "any other failure starts over",
			pageSize: 5, steps: []func(state) state{page("10", "t"), fail(errForbidden)},
			want: []string{"0/5/", "/5/t", "0/5/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState(test.pageSize, false)
			var got []string
			ask := func() {
				if s.phase == PhaseListing {
					o := s.listOptions()
					if exact := o.ResourceVersionMatch == "" && o.Limit > 0 && isVersion(o.ResourceVersion); exact {
						t.Errorf("list of exactly version %s", o.ResourceVersion)
					}
					got = append(got, fmt.Sprintf("%s/%d/%s", o.ResourceVersion, o.Limit, o.Continue))
				}
			}
			ask()
			for _, step := range test.steps {
				s = step(s)
				ask()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// Where each failure leads, and when.
func TestTransitions(t *testing.T) {
	synced := state{phase: PhaseWatching, resourceVersion: "10", watchList: true}
	streaming := state{phase: PhaseStreaming, resourceVersion: "10", watchList: true}
	unavailable := streaming
	unavailable.unavailable = true
	listing := state{phase: PhaseListing, resourceVersion: "10", watchList: true}

	refused := ending{}
	watched := ending{opened: true, events: 1, lasted: time.Minute}
	quiet := ending{opened: true, lasted: time.Minute}
	brief := ending{opened: true, events: 1, lasted: 10 * time.Millisecond}
	useless := ending{opened: true, lasted: 10 * time.Millisecond}
	missing := streaming
	missing.notFound = 1
	uselessTwice := synced
	uselessTwice.useless = 2
	cutTwice := streaming
	cutTwice.cut = 2
	cutOften := streaming
	cutOften.cut = 3

	listFailed := func(s state, e ending) (state, pace) { return s.listFailed(e.err) }
	list := func(s *state) { s.phase = PhaseListing }
	relist := func(s *state) { s.phase = PhaseStreaming }
	cut := func(n int) func(*state) { return func(s *state) { s.cut = n } }

	for _, test := range []struct {
		name  string
		from  state
		event func(state, ending) (state, pace)
		end   ending
		err   error
		want  func(*state)
		pace  pace
	}{
		{"W6 a closed watch is opened again", synced, state.watchEnded, watched, nil, nil, atOnce},
		{"W6 also one without an event", synced, state.watchEnded, quiet, nil, nil, atOnce},
		{"W6 unless it was closed at once", synced, state.watchEnded, useless, nil, func(s *state) { s.phase, s.useless = PhaseStreaming, 1 }, later},
		{"a watch that is closed as soon as something came is opened again in a second", synced, state.watchEnded, brief, nil, nil, soon},
		{"a watch that was cut is opened again", synced, state.watchEnded, watched, errCut, nil, atOnce},
		{"also one without an event", synced, state.watchEnded, quiet, errCut, nil, atOnce},
		{"as soon as something came: in a second", synced, state.watchEnded, brief, errCut, nil, soon},
		{"at once: after a backoff", synced, state.watchEnded, useless, errCut, func(s *state) { s.useless = 1 }, later},
		{"the third in a row leads to a list", uselessTwice, state.watchEnded, useless, errCut, func(s *state) { s.phase, s.useless = PhaseStreaming, 3 }, later},
		{"those that a busy server refuses do not count", uselessTwice, state.watchEnded, refused, errRefused, nil, later},
		{"one of use ends the row", uselessTwice, state.watchEnded, brief, errCut, func(s *state) { s.useless = 0 }, soon},
		{"what is no answer is a connection that was cut", synced, state.watchEnded, quiet, errOdd, nil, atOnce},
		{"unless nothing came of the watch", synced, state.watchEnded, useless, errOdd, func(s *state) { s.phase, s.useless = PhaseStreaming, 1 }, later},
		{"an unknown failure to open a watch leads to a list", synced, state.watchEnded, refused, errOdd, relist, later},
		{"W4 an expired watch leads to a list no older than what was seen", synced, state.watchEnded, refused, errExpired, relist, later},
		{"W4 also one that had been opened", synced, state.watchEnded, watched, errExpired, relist, later},
		{"after a history that restarted the list is one of the latest state", synced, state.watchEnded, watched, failure.ErrHistoryRestarted, func(s *state) {
			s.phase, s.restarted, s.unavailable = PhaseStreaming, true, true
		}, later},
		{"W4 W5 a busy server is asked again for the same", synced, state.watchEnded, refused, errBusy, nil, later},
		{"W5 one that is down too", synced, state.watchEnded, refused, errRefused, nil, later},
		{"an answer that there is no such resource is counted", synced, state.watchEnded, refused, errNotFound, func(s *state) { s.phase, s.notFound = PhaseStreaming, 1 }, later},
		{"W4 any other failure leads to a list", synced, state.watchEnded, refused, errForbidden, relist, later},
		{"a silent watch is opened again", synced, state.watchEnded, quiet, failure.ErrWatchIdle, nil, atOnce},
		{"also one that was never answered", synced, state.watchEnded, ending{lasted: time.Minute}, failure.ErrWatchIdle, nil, atOnce},
		{"not without a delay, if a second is too long for the options", synced, state.watchEnded, useless, failure.ErrWatchIdle, nil, soon},

		{"WL4 a refused watch-list is a list this time", streaming, state.streamEnded, refused, errInvalid, list, atOnce},
		{"an absent resource is asked for again", streaming, state.streamEnded, refused, errNotFound, func(s *state) { s.notFound = 1 }, later},
		{"then by a list: watches alone may be refused", missing, state.streamEnded, refused, errNotFound, func(s *state) { s.phase, s.notFound = PhaseListing, 2 }, later},
		{"WL4 a busy server is asked again", streaming, state.streamEnded, refused, errBusy, nil, later},
		{"WL4 one that is down too", streaming, state.streamEnded, refused, errRefused, nil, later},
		{"WL5 a stream that ends early is opened again", streaming, state.streamEnded, quiet, nil, cut(1), atOnce},
		{"WL5 in a second, if it ended at once", streaming, state.streamEnded, useless, nil, cut(1), soon},
		{"one that is cut too", streaming, state.streamEnded, quiet, errCut, cut(1), atOnce},
		{"the third in a row becomes a list", cutTwice, state.streamEnded, quiet, errCut, func(s *state) { s.phase, s.cut = PhaseListing, 3 }, atOnce},
		{"and so does each until one is complete", cutOften, state.streamEnded, quiet, errCut, list, atOnce},
		{"WL4 an expired one at the latest version", streaming, state.streamEnded, refused, errExpired, func(s *state) { s.unavailable = true }, atOnce},
		{"WL4 but only once", unavailable, state.streamEnded, refused, errExpired, list, atOnce},
		{"WL7 without its bookmark never again", streaming, state.streamEnded, quiet, failure.ErrBookmarkMissing, func(s *state) { s.phase, s.watchList = PhaseListing, false }, atOnce},

		{"WL4 after a failed list a watch-list is tried again", listing, listFailed, refused, errForbidden, relist, later},
	} {
		t.Run(test.name, func(t *testing.T) {
			end := test.end
			end.err = test.err
			got, pace := test.event(test.from, end)
			want := test.from
			if test.want != nil {
				test.want(&want)
			}
			if got != want || pace != test.pace {
				t.Errorf("got %+v, pace %v; want %+v, pace %v", got, pace, want, test.pace)
			}
		})
	}
}

// A watch-list that is complete takes back what is known of those before it.
func TestCompleteWatchList(t *testing.T) {
	s := state{phase: PhaseStreaming, watchList: true, cut: 2, notFound: 1, unavailable: true, restarted: true}.streamed("7")
	if want := (state{phase: PhaseWatching, watchList: true, resourceVersion: "7"}); s != want {
		t.Errorf("got %+v, want %+v", s, want)
	}
}

// A resource is absent when the server has said so twice in a row.
func TestAbsent(t *testing.T) {
	for _, test := range []struct {
		name string
		errs []error
		want bool
	}{
		{"once", []error{errNotFound}, false},
		{"twice", []error{errNotFound, errNotFound}, true},
		{"with another answer in between", []error{errNotFound, errForbidden, errNotFound}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newState(0, false)
			for _, err := range test.errs {
				s, _ = s.listFailed(err)
			}
			if got := s.absent(); got != test.want {
				t.Errorf("got %v", got)
			}
			if s = s.listed(metav1.ListMeta{ResourceVersion: "10"}); s.absent() {
				t.Error("absent after a list")
			}
		})
	}
}

// What each error is.
func TestClassOf(t *testing.T) {
	for _, test := range []struct {
		err  error
		want failure.Class
	}{
		{errExpired, failure.ClassExpired}, {errGone, failure.ClassExpired}, {fmt.Errorf("watch: %w: bookmark", failure.ErrHistoryRestarted), failure.ClassExpired},
		{errTooLarge, failure.ClassTooLarge},
		{errBusy, failure.ClassTooManyRequests},
		{errRefused, failure.ClassConnection}, {errCut, failure.ClassConnection},
		{errForbidden, failure.ClassForbidden}, {apierrors.NewUnauthorized("who?"), failure.ClassForbidden},
		{errNotFound, failure.ClassNotFound}, {fmt.Errorf("list: %w", &meta.NoKindMatchError{}), failure.ClassNotFound},
		{apierrors.NewInternalError(errOdd), failure.ClassServerError}, {apierrors.NewServiceUnavailable("later"), failure.ClassServerError},
		{fmt.Errorf("%w: bad magic", failure.ErrUndecodable), failure.ClassDecode}, {&failure.ObjectError{Err: errOdd}, failure.ClassDecode},
		{fmt.Errorf("%w: 4m", failure.ErrWatchIdle), failure.ClassSilent}, {failure.ErrListIdle, failure.ClassSilent},
		{errOdd, failure.ClassOther}, {errInvalid, failure.ClassOther}, {nil, failure.ClassOther},
	} {
		if got := failure.ClassOf(test.err); got != test.want {
			t.Errorf("%v: got %v, want %v", test.err, got, test.want)
		}
	}
}

// W1 WL1.
func TestWatchOptions(t *testing.T) {
	yes, seconds := true, int64(300)
	for _, test := range []struct {
		name string
		from state
		want metav1.ListOptions
	}{
		{"W1 a watch", state{phase: PhaseWatching, resourceVersion: "10"},
			metav1.ListOptions{ResourceVersion: "10", AllowWatchBookmarks: true, TimeoutSeconds: &seconds}},
		{"WL1 a first watch-list", state{phase: PhaseStreaming},
			metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes,
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}},
		{"WL1 a later one", state{phase: PhaseStreaming, resourceVersion: "10"},
			metav1.ListOptions{ResourceVersion: "10", AllowWatchBookmarks: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes,
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}},
		{"WL4 one after the version expired", state{phase: PhaseStreaming, resourceVersion: "10", unavailable: true},
			metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes,
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.from.watchOptions(5*time.Minute)); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}
