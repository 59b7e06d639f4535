package cachetest

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
)

// objectRequests are the requests of a client for objects: how each is made, and logged.
var objectRequests = map[string]struct {
	want Request
	send func(context.Context, corev1client.PodInterface) error
}{
	"get": {Request{Verb: Get, Name: "old"}, func(ctx context.Context, pods corev1client.PodInterface) error {
		_, err := pods.Get(ctx, "old", metav1.GetOptions{})
		return err
	}},
	"create": {Request{Verb: Create}, func(ctx context.Context, pods corev1client.PodInterface) error {
		_, err := pods.Create(ctx, pod("new", "one"), metav1.CreateOptions{})
		return err
	}},
	"update": {Request{Verb: Update, Name: "old"}, func(ctx context.Context, pods corev1client.PodInterface) error {
		changed := pod("old", "one")
		changed.Labels = map[string]string{"changed": "yes"}
		_, err := pods.Update(ctx, changed, metav1.UpdateOptions{})
		return err
	}},
	"update of the status": {Request{Verb: Update, Name: "old", Subresource: "status"}, func(ctx context.Context, pods corev1client.PodInterface) error {
		changed := pod("old", "one")
		changed.Status.Phase = corev1.PodRunning
		_, err := pods.UpdateStatus(ctx, changed, metav1.UpdateOptions{})
		return err
	}},
	"patch": {Request{Verb: Patch, Name: "old"}, func(ctx context.Context, pods corev1client.PodInterface) error {
		_, err := pods.Patch(ctx, "old", types.MergePatchType, []byte(`{"metadata":{"labels":{"changed":"yes"}}}`), metav1.PatchOptions{})
		return err
	}},
	"apply": {Request{Verb: Patch, Name: "new"}, func(ctx context.Context, pods corev1client.PodInterface) error {
		_, err := pods.Apply(ctx, applycorev1.Pod("new", "a"), metav1.ApplyOptions{FieldManager: "test"})
		return err
	}},
	"delete": {Request{Verb: Delete, Name: "old"}, func(ctx context.Context, pods corev1client.PodInterface) error {
		return pods.Delete(ctx, "old", metav1.DeleteOptions{})
	}},
	"delete of a collection": {Request{Verb: Delete}, func(ctx context.Context, pods corev1client.PodInterface) error {
		return pods.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
	}},
}

// Each request for an object meets the faults of its verb and of all: it fails before anything
// is done or, if it is opened, afterwards.
func TestFaultsOfObjectRequests(t *testing.T) {
	for name, request := range objectRequests {
		for _, fault := range []struct {
			name  string
			fault Fault
			// carriedOut reports whether the request is, all the same.
			carriedOut bool
			is         func(error) bool
		}{
			{"of another verb", Fault{Verb: List, Err: Status(503)}, true, isNone},
			{"of no request", Fault{If: func(Request) bool { return false }, Err: Status(503)}, true, isNone},
			{"of its verb", Fault{Verb: request.want.Verb, Err: Status(500)}, false, apierrors.IsInternalError},
			{"of all verbs", Fault{Err: Status(409)}, false, apierrors.IsConflict},
			{"connection", Fault{Err: ErrConnectionRefused}, false, isErr(ErrConnectionRefused)},
			{"no answer", Fault{Hang: true}, false, isErr(context.DeadlineExceeded)},
			{"lost answer", Fault{Opened: true, Err: ErrConnectionReset}, true, isErr(ErrConnectionReset)},
			{"no answer, but done", Fault{Opened: true, Hang: true}, true, isErr(context.DeadlineExceeded)},
			{"refused, but done", Fault{Opened: true, Err: Status(504)}, true, apierrors.IsTimeout},
			{"truncated", Fault{Err: ErrTruncated}, true, isSome},
			{"garbled", Fault{Err: ErrGarbled}, true, isSome},
			{"ended", Fault{Err: io.EOF}, false, isErr(io.ErrUnexpectedEOF)},
		} {
			t.Run(name+"/"+fault.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api := NewAPI(pod("old", "one"))
					before := api.ResourceVersion()
					client, _ := clientOf(t, api)
					fault.fault.Times = -1 // a client may repeat a request that reads
					api.Fail(fault.fault)
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					err := request.send(ctx, client)
					discards := request.want.Verb == Delete && !errors.Is(err, context.DeadlineExceeded) // the body
					if !fault.is(err) && (!discards || !fault.carriedOut || err != nil) {
						t.Errorf("got %v", err)
					}
					want := fault.carriedOut && request.want.Verb != Get
					if changed := api.ResourceVersion() != before; changed != want {
						t.Errorf("changed: got %v, want %v", changed, want)
					}
				})
			})
		}
	}
}

func isNone(err error) bool { return err == nil }

func isSome(err error) bool { return err != nil }

func isErr(want error) func(error) bool {
	return func(err error) bool { return errors.Is(err, want) }
}

// Requests for objects are logged with what they name and the fault that they met.
func TestObjectRequestsAreLogged(t *testing.T) {
	for name, request := range objectRequests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := NewAPI(pod("old", "one"))
				client, _ := clientOf(t, api)
				api.Fail(Fault{Verb: request.want.Verb, Delay: time.Minute})
				begin := time.Now()
				if err := request.send(t.Context(), client); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took != time.Minute {
					t.Errorf("took %v, want a minute", took)
				}
				want := request.want
				want.Namespace, want.Arrived, want.Fault, want.Answered = "a", begin, "delay 1m0s", true
				if got := api.Requests(); len(got) != 1 || got[0].Verb != want.Verb || got[0].Namespace != want.Namespace ||
					got[0].Name != want.Name || got[0].Subresource != want.Subresource || got[0].Fault != want.Fault ||
					!got[0].Arrived.Equal(want.Arrived) || !got[0].Answered || got[0].Err != nil {
					t.Errorf("got %+v, want %+v", got, want)
				}
			})
		})
	}
}

// Chaos is of lists and watches only: a client may not wait for ever for a write.
func TestChaosSparesWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := NewAPI(pod("old", "one"))
		client, _ := clientOf(t, api)
		api.FailRandomly(Chaos{Rate: 1})
		for range 20 {
			if err := objectRequests["get"].send(t.Context(), client); err != nil {
				t.Fatal(err)
			}
		}
	})
}
