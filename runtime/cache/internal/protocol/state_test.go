package protocol

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
	page := func(version, token string) func(State) State {
		return func(s State) State {
			return s.Listed(metav1.ListMeta{ResourceVersion: version, Continue: token})
		}
	}
	fail := func(err error) func(State) State {
		return func(s State) State {
			s, _ = s.ListFailed(err)
			return s
		}
	}
	relist := func(s State) State {
		s, _ = s.WatchEnded(Ending{Err: errForbidden, Opened: true, Events: 1, Lasted: time.Minute})
		return s
	}
	for _, test := range []struct {
		name     string
		pageSize int64
		steps    []func(State) State
		want     []string // version/limit/token of each request
	}{
		{name: "L1 the first list takes what the server has cached",
			want: []string{"0/500/"}},
		{name: "L1 L2 a relist is no older than what was seen, and not paged",
			steps: []func(State) State{page("10", ""), relist},
			want:  []string{"0/500/", "10/0/"}},
		{name: "L3 a page size holds always",
			pageSize: 7, steps: []func(State) State{page("10", ""), relist},
			want: []string{"0/7/", "10/7/"}},
		{name: "L4 L8 a server that pages version 0 is asked for pages again; pages after the first name no version",
			steps: []func(State) State{page("10", "t"), page("10", ""), relist},
			want:  []string{"0/500/", "/500/t", "10/500/"}},
		{name: "L5 expired: once more at the latest version, then from the new one",
			steps: []func(State) State{page("10", ""), relist, fail(errExpired), page("20", ""), relist},
			want:  []string{"0/500/", "10/0/", "/500/", "20/0/"}},
		{name: "L5 gone is expired, and not asked for a second time at once",
			steps: []func(State) State{page("10", ""), relist, fail(errGone), fail(errGone)},
			want:  []string{"0/500/", "10/0/", "/500/", "/500/"}},
		{name: "L5 L6 too large: the same",
			steps: []func(State) State{page("20", ""), relist, fail(errTooLarge), page("30", ""), relist, fail(errTooLarge), page("40", "")},
			want:  []string{"0/500/", "20/0/", "/500/", "30/0/", "/500/"}},
		{name: "L7 expired between pages: the whole list at the version of the first page",
			pageSize: 5, steps: []func(State) State{page("10", ""), relist, page("11", "t"), fail(errExpired), page("12", "")},
			want: []string{"0/5/", "10/5/", "/5/t", "10/0/"}},
		{name: "a page that was sent before: the whole list, and only once",
			pageSize: 5, steps: []func(State) State{page("10", "t"), fail(ErrPageRepeated), fail(ErrPageRepeated)},
			want: []string{"0/5/", "/5/t", "0/0/", "0/5/"}},
		{name: "any other failure starts over",
			pageSize: 5, steps: []func(State) State{page("10", "t"), fail(errForbidden)},
			want: []string{"0/5/", "/5/t", "0/5/"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := NewState(test.pageSize, false)
			var got []string
			ask := func() {
				if s.Phase == Listing {
					o := s.ListOptions()
					if exact := o.ResourceVersionMatch == "" && o.Limit > 0 && IsVersion(o.ResourceVersion); exact {
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
	synced := State{Phase: Watching, ResourceVersion: "10", watchList: true}
	streaming := State{Phase: Streaming, ResourceVersion: "10", watchList: true}
	atLatest := streaming
	atLatest.latest = true
	listing := State{Phase: Listing, ResourceVersion: "10", watchList: true}

	refused := Ending{}
	watched := Ending{Opened: true, Events: 1, Lasted: time.Minute}
	quiet := Ending{Opened: true, Lasted: time.Minute}
	brief := Ending{Opened: true, Events: 1, Lasted: 10 * time.Millisecond}
	useless := Ending{Opened: true, Lasted: 10 * time.Millisecond}
	seconds := Ending{Opened: true, Events: 1, Lasted: 50 * time.Second}
	missing := streaming
	missing.notFound = 1
	goneTwice, uselessOnce := synced, synced
	goneTwice.notFound, uselessOnce.useless = 2, 1
	uselessTwice := synced
	uselessTwice.useless = 2
	incompleteTwice := streaming
	incompleteTwice.incomplete = 2
	incompleteOften := streaming
	incompleteOften.incomplete = 3
	listed := synced
	listed.listed = "10"
	since := synced // a watch that has advanced
	since.listed = "9"

	listFailed := func(s State, e Ending) (State, Pace) { return s.ListFailed(e.Err) }
	list := func(s *State) { s.Phase = Listing }
	relist := func(s *State) { s.Phase = Streaming }
	incomplete := func(n int) func(*State) { return func(s *State) { s.incomplete = n } }

	for _, test := range []struct {
		name  string
		from  State
		event func(State, Ending) (State, Pace)
		end   Ending
		err   error
		want  func(*State)
		pace  Pace
	}{
		{"W6 a closed watch is opened again", synced, State.WatchEnded, watched, nil, nil, AtOnce},
		{"W6 also one without an event", synced, State.WatchEnded, quiet, nil, nil, AtOnce},
		{"W6 unless it was closed at once", synced, State.WatchEnded, useless, nil, func(s *State) { s.Phase, s.useless = Streaming, 1 }, Later},
		{"a watch that is closed as soon as something came is opened again in a second", synced, State.WatchEnded, brief, nil, nil, Soon},
		{"a watch that was cut is opened again", synced, State.WatchEnded, watched, errCut, nil, AtOnce},
		{"also one without an event", synced, State.WatchEnded, quiet, errCut, nil, AtOnce},
		{"as soon as something came: in a second", synced, State.WatchEnded, brief, errCut, nil, Soon},
		{"at once: after a backoff", synced, State.WatchEnded, useless, errCut, func(s *State) { s.useless = 1 }, Later},
		{"the third in a row leads to a list", uselessTwice, State.WatchEnded, useless, errCut, func(s *State) { s.Phase, s.useless = Streaming, 3 }, Later},
		{"those that a busy server refuses do not count", uselessTwice, State.WatchEnded, refused, errRefused, nil, Later},
		{"one of use ends the row", uselessTwice, State.WatchEnded, brief, errCut, func(s *State) { s.useless = 0 }, Soon},
		{"what is no answer is a connection that was cut", synced, State.WatchEnded, quiet, errOdd, nil, AtOnce},
		{"unless nothing came of the watch", synced, State.WatchEnded, useless, errOdd, func(s *State) { s.Phase, s.useless = Streaming, 1 }, Later},
		{"an unknown failure to open a watch leads to a list", synced, State.WatchEnded, refused, errOdd, relist, Later},
		{"W4 an expired watch leads to a list no older than what was seen", synced, State.WatchEnded, refused, errExpired, relist, Later},
		{"W4 also one that had been opened", synced, State.WatchEnded, watched, errExpired, relist, Later},
		{"the version of the list before leads to a list of the latest state", listed, State.WatchEnded, refused, errExpired, func(s *State) {
			s.Phase, s.latest = Streaming, true
		}, Later},
		{"also if it expires in the stream", listed, State.WatchEnded, useless, errExpired, func(s *State) {
			s.Phase, s.latest, s.listed, s.useless = Streaming, true, "", 0
		}, Later},
		{"not if it was watched", listed, State.WatchEnded, quiet, errExpired, func(s *State) { s.Phase, s.listed = Streaming, "" }, Later},
		{"not if the watch has got on", since, State.WatchEnded, brief, errExpired, func(s *State) { s.Phase, s.listed = Streaming, "" }, Later},
		{"nor if a watch was open before", listed, State.WatchEnded, quiet, nil, func(s *State) { s.listed = "" }, AtOnce},
		{"but if none was opened", listed, State.WatchEnded, refused, errRefused, nil, Later},
		{"after a history that restarted the list is one of the latest state", synced, State.WatchEnded, watched, failure.ErrHistoryRestarted, func(s *State) {
			s.Phase, s.Restarted, s.latest = Streaming, true, true
		}, Later},
		{"W4 W5 a busy server is asked again for the same", synced, State.WatchEnded, refused, errBusy, nil, Later},
		{"W5 one that is down too", synced, State.WatchEnded, refused, errRefused, nil, Later},
		{"an answer that there is no such resource is counted", synced, State.WatchEnded, refused, errNotFound, func(s *State) { s.Phase, s.notFound = Streaming, 1 }, Later},
		{"W4 any other failure leads to a list", synced, State.WatchEnded, refused, errForbidden, relist, Later},
		{"a silent watch is opened again", synced, State.WatchEnded, quiet, failure.ErrWatchIdle, nil, AtOnce},
		{"also one that was never answered", synced, State.WatchEnded, Ending{Lasted: time.Minute}, failure.ErrWatchIdle, nil, AtOnce},
		{"not without a delay, if a second is too long for the options", synced, State.WatchEnded, useless, failure.ErrWatchIdle, nil, Soon},

		{"other objects that are selected are listed at once", synced, State.WatchEnded, watched, failure.ErrSelectionChanged, relist, AtOnce},
		{"also if the watch was not requested for that reason", synced, State.WatchEnded, refused, failure.ErrSelectionChanged, relist, AtOnce},
		{"which says nothing about the server", uselessOnce, State.WatchEnded, useless, failure.ErrSelectionChanged, relist, AtOnce},
		{"and makes an absent resource no less absent", goneTwice, State.WatchEnded, refused, failure.ErrSelectionChanged, relist, AtOnce},
		{"a watch-list of them is requested again", missing, State.StreamEnded, useless, failure.ErrSelectionChanged, nil, AtOnce},

		{"WL4 a refused watch-list is a list this time", streaming, State.StreamEnded, refused, errInvalid, list, AtOnce},
		{"an absent resource is asked for again", streaming, State.StreamEnded, refused, errNotFound, func(s *State) { s.notFound = 1 }, Later},
		{"then by a list: watches alone may be refused", missing, State.StreamEnded, refused, errNotFound, func(s *State) { s.Phase, s.notFound = Listing, 2 }, Later},
		{"WL4 a busy server is asked again", streaming, State.StreamEnded, refused, errBusy, incomplete(1), Later},
		{"WL4 one that is down too", streaming, State.StreamEnded, refused, errRefused, nil, Later},
		{"WL5 a stream that ends early is opened again", streaming, State.StreamEnded, seconds, nil, incomplete(1), AtOnce},
		{"WL5 in a second, if it ended at once", streaming, State.StreamEnded, useless, nil, incomplete(1), Soon},
		{"one that is cut too", streaming, State.StreamEnded, seconds, errCut, incomplete(1), AtOnce},
		{"one that had lasted becomes a list", streaming, State.StreamEnded, watched, errCut, func(s *State) { s.Phase, s.incomplete = Listing, 3 }, AtOnce},
		{"unless it was never open", streaming, State.StreamEnded, Ending{Lasted: time.Hour}, errBusy, incomplete(1), Later},
		{"the third in a row becomes a list", incompleteTwice, State.StreamEnded, quiet, errCut, func(s *State) { s.Phase, s.incomplete = Listing, 3 }, AtOnce},
		{"and so does each until one is complete", incompleteOften, State.StreamEnded, quiet, errCut, list, AtOnce},
		{"a busy server is listed after the third, when it says", incompleteTwice, State.StreamEnded, refused, errBusy, func(s *State) { s.Phase, s.incomplete = Listing, 3 }, Later},
		{"one that is down says nothing of watch-lists", incompleteTwice, State.StreamEnded, refused, errRefused, nil, Later},
		{"WL4 an expired one at the latest version", streaming, State.StreamEnded, refused, errExpired, func(s *State) { s.latest = true }, AtOnce},
		{"WL4 but only once", atLatest, State.StreamEnded, refused, errExpired, list, AtOnce},
		{"WL7 without its bookmark never again", streaming, State.StreamEnded, quiet, failure.ErrBookmarkMissing, func(s *State) { s.Phase, s.watchList = Listing, false }, AtOnce},

		{"WL4 after a failed list a watch-list is tried again", listing, listFailed, refused, errForbidden, relist, Later},
	} {
		t.Run(test.name, func(t *testing.T) {
			end := test.end
			end.Err = test.err
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
	s := State{Phase: Streaming, watchList: true, incomplete: 2, notFound: 1, latest: true, Restarted: true}.Streamed("7")
	if want := (State{Phase: Watching, watchList: true, ResourceVersion: "7", listed: "7"}); s != want {
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
			s := NewState(0, false)
			for _, err := range test.errs {
				s, _ = s.ListFailed(err)
			}
			if got := s.Absent(); got != test.want {
				t.Errorf("got %v", got)
			}
			if s = s.Listed(metav1.ListMeta{ResourceVersion: "10"}); s.Absent() {
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
		{fmt.Errorf("watch: %w", failure.ErrSelectionChanged), failure.ClassSelectionChanged},
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
		from State
		want metav1.ListOptions
	}{
		{"W1 a watch", State{Phase: Watching, ResourceVersion: "10"},
			metav1.ListOptions{ResourceVersion: "10", AllowWatchBookmarks: true, TimeoutSeconds: &seconds}},
		{"WL1 a first watch-list", State{Phase: Streaming},
			metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes,
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}},
		{"WL1 a later one", State{Phase: Streaming, ResourceVersion: "10"},
			metav1.ListOptions{ResourceVersion: "10", AllowWatchBookmarks: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes,
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}},
		{"WL4 one after the version expired", State{Phase: Streaming, ResourceVersion: "10", latest: true},
			metav1.ListOptions{AllowWatchBookmarks: true, TimeoutSeconds: &seconds, SendInitialEvents: &yes,
				ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.from.WatchOptions(5*time.Minute)); diff != "" {
				t.Errorf("options (-want +got):\n%s", diff)
			}
		})
	}
}
