package statuspage

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/controller"
)

func TestHTML(t *testing.T) {
	for _, test := range []struct {
		got  markup
		want string
	}{
		{format("<b>%s</b>", `<i>"&'`), "<b>&lt;i&gt;&#34;&amp;&#39;</b>"},
		{format(`<input value="%s">`, `"><b>`), `<input value="&#34;&gt;&lt;b&gt;">`},
		{format(`<b class="%s">%s</b>`, 1, format("<i>%s</i>", "<%s>")), `<b class="1"><i>&lt;%s&gt;</i></b>`},
		{format("<b>%s</b>", errors.New("<i>")), "<b>&lt;i&gt;</b>"},
		{format(`<b title="%s">%s</b>`, "\u2066", "a\x00\u202eb\xff\tc"), "<b title=\"\ufffd\">a\ufffd\ufffdb\ufffd\tc</b>"},
		{breakable(""), "<span></span>"},
		{breakable(strings.Repeat("ü", 40)), "<span>" + strings.Repeat("ü", 40) + "</span>"},
		{breakable(strings.Repeat("ü", 81)), "<span>" + strings.Repeat("ü", 40) + "<wbr>" + strings.Repeat("ü", 40) + "<wbr>ü</span>"},
	} {
		if string(test.got) != test.want {
			t.Errorf("%s, want %s", test.got, test.want)
		}
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{brief(0), "0s"},
		{brief(1234 * time.Nanosecond), "1µs"},
		{brief(1234567), "1ms"},
		{brief(2345 * time.Millisecond), "2.3s"},
		{brief(3*time.Minute + 20*time.Second + 400*time.Millisecond), "3m20s"},
		{brief(5 * time.Minute), "5m"},
		{brief(5*time.Hour + 10*time.Second), "5h"},
		{brief(10 * time.Hour), "10h"},
		{brief(30 * time.Minute), "30m"},
		{brief(50*time.Hour + time.Minute), "2d2h"},
		{brief(-time.Second), "-1s"},
		{ago(time.Time{}, time.Now()), "never"},
		{number(0), "0"},
		{number(0.25), "0.2"},
		{number(1234.5), "1\u202f235"},
		{number(-1234567), "-1\u202f234\u202f567"},
		{number(123), "123"},
		{summary("one line"), "one line"},
		{summary("panic: no\nstack"), "panic: no …"},
		{summary(strings.Repeat("é", 501)), strings.Repeat("é", 500) + " …"},
		{plural(1, "key"), "1 key"},
		{plural(1000, "key"), "1\u202f000 keys"},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
	now := time.Now()
	if got := ago(now.Add(time.Minute), now); got != "0s ago" {
		t.Errorf("of a clock that is ahead: %q", got)
	}
}

func TestPicture(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	at := func(seconds int, value float64) point {
		return point{now.Add(time.Duration(seconds) * time.Second), value}
	}
	for _, test := range []struct {
		name   string
		points []point
		most   float64
		want   markup
	}{
		{"none", nil, 0, ""},
		{"zeros", []point{at(-10, 0), at(0, 0)}, 0, "M0 230L1200 230"},
		{"goes up", []point{at(-10, 0), at(-5, 5), at(0, 10)}, 10, "M0 230L600 120L1200 10"},
		{"older than the window, and from the future", []point{at(-20, 3), at(-5, 5), at(1, 7)}, 10, "M600 120"},
	} {
		if got := line(test.points, test.most, 10*time.Second, now); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
	shown := picture("Backlog of <b>", []point{at(-5, 1500), at(0, 20)}, 10*time.Minute, now)
	if want := `aria-label="Backlog of &lt;b&gt;, the last 10m: now 20, at most 1` + "\u202f" + `500"`; !strings.Contains(string(shown), want) {
		t.Errorf("%s lacks %s", shown, want)
	}
}

// The pictures have what every sample has of an informer or handler.
func TestPoints(t *testing.T) {
	now := time.Now()
	var samples []sample
	for seconds, of := range map[int]numbers{0: {100, 1}, 2: {300, 7}, 4: {50, 0}, 5: {50, 2}} {
		samples = append(samples, sample{now.Add(time.Duration(seconds) * time.Second), map[sampled]numbers{{"pods", "h"}: of}})
	}
	samples = append(samples, sample{at: now.Add(3 * time.Second)})
	slices.SortFunc(samples, func(a, b sample) int { return a.at.Compare(b.at) })
	text := func(points []point) (all string) {
		for _, p := range points {
			all += fmt.Sprintf(" %v:%v", p.at.Sub(now), p.value)
		}
		return all
	}
	backlogs, rates := points(samples, sampled{"pods", "h"})
	if got, want := text(backlogs), " 0s:1 2s:7 4s:0 5s:2"; got != want {
		t.Errorf("backlogs %s, want %s", got, want)
	}
	if got, want := text(rates), " 2s:100 4s:0 5s:0"; got != want {
		t.Errorf("rates %s, want %s", got, want)
	}
}

func TestProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		well := cache.Status{Name: "i", Phase: cache.PhaseWatching, Started: now.Add(-time.Hour), LastContact: now, Synced: true}
		with := func(change func(*cache.Status)) cache.Status {
			s := well
			change(&s)
			return s
		}
		handler := func(h cache.HandlerStatus) cache.Status {
			return with(func(s *cache.Status) { s.Handlers = []cache.HandlerStatus{h} })
		}
		running := func(d time.Duration) []controller.Running {
			return []controller.Running{{Key: types.NamespacedName{Namespace: "ns", Name: "n"}, For: d}}
		}
		for _, test := range []struct {
			name        string
			informers   []cache.Status
			controllers []controller.Status
			want        []string // urgent ones with a !
		}{
			{"all is well", []cache.Status{well, {Phase: cache.PhaseWatching, Synced: true}, handler(cache.HandlerStatus{Backlog: 5, Lag: time.Second})},
				[]controller.Status{{Synced: true}, {Synced: true, Running: running(time.Second), Oldest: time.Second, LastError: errors.New("old"), LastErrorTime: now.Add(-time.Hour)}}, nil},
			{"what is over", []cache.Status{with(func(s *cache.Status) {
				s.ObjectErrors, s.LastObjectError, s.Relists, s.Reconnects = 2, errors.New("bad"), 1, 5
			}), handler(cache.HandlerStatus{Panics: 1, LastPanic: now.Add(-time.Hour)})},
				[]controller.Status{{Synced: true, Failed: 3, Terminal: 3, Panicked: 2, LastPanic: now.Add(-time.Hour)}}, nil},
			{"not started", []cache.Status{{Name: "i"}}, []controller.Status{{Name: "c"}}, []string{"i: not started", "controller c: not started, or waiting for its informers"}},
			{"not in sync", []cache.Status{{Name: "i", Phase: cache.PhaseListing, Since: now.Add(-time.Second), Started: now.Add(-time.Second)}}, nil, []string{"i: not in sync yet: listing for 1s"}},
			{"not in sync for long", []cache.Status{{Name: "i", Phase: cache.PhaseListing, Started: now.Add(-4 * time.Minute)}}, nil, []string{"!i: the server has sent nothing for 4m"}},
			{"stopped", []cache.Status{with(func(s *cache.Status) { s.Phase = cache.PhaseStopped })}, nil, []string{"!i: stopped"}},
			{"absent", []cache.Status{with(func(s *cache.Status) { s.Phase = cache.PhaseAbsent })}, nil, []string{"!i: waiting for the resource to be installed"}},
			{"failing", []cache.Status{with(func(s *cache.Status) {
				s.Phase, s.Attempts, s.LastError = cache.PhaseBackingOff, 1, failure.ErrListIdle
			})}, nil, []string{"!i: backing off, 1 failed attempt, last error: nothing came in time"}},
			{"a reason that is no failure", []cache.Status{with(func(s *cache.Status) { s.LastError = failure.ErrBookmarkMissing })}, nil, nil},
			{"stale", []cache.Status{with(func(s *cache.Status) { s.LastContact = now.Add(-4 * time.Minute) })}, nil, []string{"!i: the server has sent nothing for 4m"}},
			{"objects left out come after what is urgent", []cache.Status{
				with(func(s *cache.Status) {
					s.LeftOut, s.LeftOutObjects = 6, map[string]string{"a": "bad", "b": "worse", "": "not JSON", "c": "bad"}
				}),
				with(func(s *cache.Status) { s.Phase = cache.PhaseStopped }),
			}, nil, []string{"!i: stopped", "i: 6 objects left out now: name not known: not JSON; a: bad; b: worse; and 3 more"}},
			{"lag", []cache.Status{handler(cache.HandlerStatus{Name: "h", Lag: 2 * time.Minute, Backlog: 1})}, nil, []string{"!i, handler h: 2m behind, with a backlog of 1 event"}},
			{"backlog", []cache.Status{handler(cache.HandlerStatus{Name: "h", Backlog: 10_001})}, nil, []string{"!i, handler h: a backlog of 10\u202f001 events"}},
			{"panics", []cache.Status{handler(cache.HandlerStatus{Name: "h", Panics: 1, LastPanic: now.Add(-time.Minute)})}, []controller.Status{{Name: "c", Synced: true, LastPanic: now.Add(-time.Second)}},
				[]string{"i, handler h: panicked 1m ago", "controller c: a reconcile panicked 1s ago"}},
			{"reconcile that does not return", nil, []controller.Status{{Name: "c", Synced: true, Running: running(2 * time.Minute)}}, []string{"!controller c: the reconcile of ns/n has been running for 2m"}},
			{"stopped controller", nil, []controller.Status{{Name: "c", Stopped: true}}, []string{"!controller c: stopped"}},
			{"queue", nil, []controller.Status{{Name: "c", Synced: true, Waiting: 3, Oldest: 2 * time.Minute}}, []string{"!controller c: a queue of 3 keys, the first of them for 2m"}},
			{"terminal errors", nil, []controller.Status{{Name: "c", Synced: true, TerminalErrors: []controller.KeyError{{Key: types.NamespacedName{Namespace: "ns", Name: "a"}, Err: errors.New("invalid")}}, LastError: errors.New("invalid"), LastErrorKey: types.NamespacedName{Namespace: "ns", Name: "a"}, LastErrorTime: now}},
				[]string{"controller c: 1 key with a terminal error now: ns/a: invalid"}},
			{"overdue writes", nil, []controller.Status{{Name: "c", Synced: true, OverdueWrites: []controller.KeyError{{Key: types.NamespacedName{Namespace: "ns", Name: "a"}, Err: errors.New("store is at 12"), Time: now.Add(-2 * time.Minute)}}}},
				[]string{"controller c: 1 key reconciled without own writes, which a store has lacked for 2m: ns/a: store is at 12"}},
			{"error", nil, []controller.Status{{Name: "c", Synced: true, LastError: errors.New("full"), LastErrorKey: types.NamespacedName{Name: "n"}, LastErrorTime: now.Add(-time.Second)}},
				[]string{"controller c: the reconcile of /n failed 1s ago: full"}},
		} {
			var got []string
			for _, p := range problemsOf(test.informers, test.controllers, nil, now) {
				mark := ""
				if p.Urgent {
					mark = "!"
				}
				got = append(got, fmt.Sprintf("%s%s: %s", mark, p.Subject, p.What))
				if p.Advice == "" {
					t.Errorf("%s: no advice", test.name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.name, diff)
			}
		}
	})
}

// slimSecret is a project's slim type of secrets.
type slimSecret struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Data map[string][]byte
}

// Secrets are never shown, whatever their type. Other objects are shown only if the program wants it.
func TestContents(t *testing.T) {
	kind := func(apiVersion, kind string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": map[string]any{"name": "a"}, "data": map[string]any{"password": "hunter2"}}}
	}
	config := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "hunter2"}}}, Data: map[string]string{"a": "b"}}
	password := map[string][]byte{"password": []byte("hunter2")}
	all := Options{Contents: true}
	excluding := Options{Contents: true, Exclude: func(any) bool { return true }}
	for _, test := range []struct {
		name     string
		options  Options
		informer string
		obj      any
		want     string
	}{
		{"a config map", all, "configmaps.v1", config, `"a":"b"`},
		{"not asked for", Options{}, "configmaps.v1", config, ""},
		{"excluded", excluding, "configmaps.v1", config, "excluded by the program"},
		{"secret", all, "a", &corev1.Secret{Data: password}, "secrets are never shown"},
		{"secret by value", all, "a", corev1.Secret{Data: password}, "secrets are never shown"},
		{"slim secret", all, "a", &slimSecret{Data: password}, "secrets are never shown"},
		{"unstructured secret", all, "a", kind("v1", "Secret"), "secrets are never shown"},
		{"unstructured config map", all, "a", kind("v1", "ConfigMap"), `"password":"hunter2"`},
		{"metadata of secrets, which may have annotations with them", all, "secrets.v1", &metav1.PartialObjectMetadata{}, "secrets are never shown"},
		{"of a named informer", all, "secrets.v1/mine", &metav1.PartialObjectMetadata{}, "secrets are never shown"},
		{"of an informer of client-go", all, "*v1.Secret", &metav1.PartialObjectMetadata{}, "secrets are never shown"},
		{"a resource of a similar name", all, "secretstores.v1.example.com", &metav1.PartialObjectMetadata{}, `"metadata"`},
		{"no object of Kubernetes", all, "a", map[string]int{"x": 1}, `"x":1`},
		{"no JSON", all, "a", make(chan int), "no JSON of it: json: unsupported type: chan int"},
		{"nothing", all, "a", nil, "null"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text, err := json.Marshal(test.options.find(map[string]any{test.informer: test.obj}))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(text), test.want) || test.want == "" && strings.Contains(string(text), "content") {
				t.Errorf("%s, want %s", text, test.want)
			}
			if strings.Contains(string(text), "hunter2") && test.name != "unstructured config map" || strings.Contains(string(text), "aHVudGVyMg") {
				t.Errorf("%s has what nobody must see", text)
			}
		})
	}
	if len(config.ManagedFields) != 1 {
		t.Error("the object was changed")
	}
}
