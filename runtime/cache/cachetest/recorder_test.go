package cachetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"
	"k8s.io/apimachinery/pkg/types"
)

func TestRecorder(t *testing.T) {
	one, other, two := carp("a/one"), on("n", carp("a/one")), carp("a/two")
	var r Recorder[*testv1.Carp]
	r.OnAdd(one, true)
	r.OnAdd(two, false)
	r.OnUpdate(one, other)
	r.OnUpdate(other, other)
	r.OnDelete(carp("a/two"), true)
	want := []Event[*testv1.Carp]{
		{Type: Add, Key: key("a/one"), Object: one, Initial: true},
		{Type: Add, Key: key("a/two"), Object: two},
		{Type: Update, Key: key("a/one"), Old: one, Object: other},
		{Type: Update, Key: key("a/one"), Old: other, Object: other},
		{Type: Delete, Key: key("a/two"), Object: carp("a/two"), FinalStateUnknown: true},
	}
	if diff := cmp.Diff(want, r.Events()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[types.NamespacedName]*testv1.Carp{key("a/one"): other}, r.View()); diff != "" {
		t.Error(diff)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

func TestRecorderBreaches(t *testing.T) {
	one := carp("a/one")
	for name, test := range map[string]struct {
		play func(r *Recorder[*testv1.Carp])
		want string // empty for none
	}{
		"nothing":          {func(*Recorder[*testv1.Carp]) {}, ""},
		"add again":        {func(r *Recorder[*testv1.Carp]) { r.OnAdd(one, false); r.OnAdd(one, false) }, "event 1: add of \"a/one\": the object is known"},
		"add after delete": {func(r *Recorder[*testv1.Carp]) { r.OnAdd(one, false); r.OnDelete(one, false); r.OnAdd(one, false) }, ""},
		"update unknown":   {func(r *Recorder[*testv1.Carp]) { r.OnUpdate(one, one) }, "event 0: update of \"a/one\": the object is unknown"},
		"delete unknown":   {func(r *Recorder[*testv1.Carp]) { r.OnDelete(one, true) }, "event 0: delete of \"a/one\": the object is unknown"},
		"update of a copy": {func(r *Recorder[*testv1.Carp]) { r.OnAdd(one, false); r.OnUpdate(one.DeepCopy(), one) }, "event 1: update of \"a/one\": the old object is not the one last seen"},
		"late initial":     {func(r *Recorder[*testv1.Carp]) { r.OnAdd(one, false); r.OnAdd(carp("a/two"), true) }, "event 1: add of \"a/two\": initial, but comes after other events"},
	} {
		t.Run(name, func(t *testing.T) {
			var r Recorder[*testv1.Carp]
			test.play(&r)
			got := ""
			if err := r.Err(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error is %q, want %q", got, test.want)
			}
		})
	}
}

func TestRecorderWithoutKey(t *testing.T) {
	var r Recorder[string]
	r.OnAdd("no object", false)
	if err := r.Err(); err == nil || !strings.HasPrefix(err.Error(), "event 0: add: ") {
		t.Errorf("error is %v", err)
	}
	if len(r.Events()) != 1 || len(r.View()) != 0 {
		t.Errorf("recorded %v, view %v", r.Events(), r.View())
	}
}

func TestRecorderWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Recorder[*testv1.Carp]
		done := make(chan error, 2)
		go func() { done <- r.WaitFor(t.Context(), 2) }()
		go func() {
			done <- r.WaitUntil(t.Context(), func(events []Event[*testv1.Carp]) bool {
				return len(events) > 0 && events[len(events)-1].Type == Delete
			})
		}()
		r.OnAdd(carp("a/one"), false)
		synctest.Wait()
		if len(done) != 0 {
			t.Fatal("waited for too little")
		}
		r.OnDelete(carp("a/one"), false)
		for range 2 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("enough")
		cancel(why)
		if err := r.WaitFor(ctx, 3); !errors.Is(err, why) {
			t.Errorf("error is %v", err)
		}
	})
}
