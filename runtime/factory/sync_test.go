package factory_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clientgotesting "k8s.io/client-go/testing"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	. "github.com/informer-gen/informer-gen/runtime/factory"
)

// refuse makes a clientset answer every list of a resource with an error, from now
// on.
func refuse(client *fake.Clientset, resource string, answer func() error) {
	client.PrependReactor("list", resource, func(clientgotesting.Action) (bool, runtime.Object, error) {
		err := answer()
		return err != nil, nil, err
	})
}

// syncErrors are those that an error joins, by the name of the informer.
func syncErrors(err error) map[string]*core.SyncError {
	all := map[string]*core.SyncError{}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			var one *core.SyncError
			if errors.As(err, &one) {
				all[one.Informer] = one
			}
		}
	}
	return all
}

// Two informers that need operator action do not block a third, which takes a while. A caller that wants to
// waits for all.
func TestWaitForSyncDoesNotWaitForWhatIsStuck(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		const slow = 30 * time.Second
		granted, begun := time.Now().Add(time.Hour), time.Now()
		client := fake.NewClientset()
		refuse(client, "pods", func() error {
			if time.Now().After(granted) {
				return nil
			}
			return apierrors.NewForbidden(podResource.GroupResource(), "", errors.New("not you"))
		})
		refuse(client, "services", func() error {
			if time.Now().After(granted) {
				return nil
			}
			return apierrors.NewNotFound(v1.Resource("services"), "")
		})
		refuse(client, "nodes", func() error {
			if time.Since(begun) > slow {
				return nil
			}
			return apierrors.NewServiceUnavailable("starting")
		})
		f := newFactory(client)
		f.pods()
		f.nodes()
		f.services()
		f.StartWithContext(ctx)

		errs := syncErrors(f.WaitForSyncOrStuck(ctx))
		if took := time.Since(begun); took < slow || took > slow+time.Minute {
			// The slow one backs off for up to a minute.
			t.Errorf("returned after %v, and the slow one is in sync after %v", took, slow)
		}
		if len(errs) != 2 {
			t.Errorf("errors %v", errs)
		}
		if pods := errs["pods.v1"]; pods == nil || !errors.Is(pods, ErrStuck) || !apierrors.IsForbidden(pods) || !strings.Contains(pods.Error(), "RBAC") {
			t.Errorf("pods: %v", pods)
		}
		if services := errs["services.v1"]; services == nil || !errors.Is(services, ErrStuck) || services.Status.Phase != core.PhaseAbsent {
			t.Errorf("services: %v", services)
		}

		brief, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		errs = syncErrors(f.WaitForSync(brief))
		if len(errs) != 2 || !errors.Is(errs["pods.v1"], context.DeadlineExceeded) || errors.Is(errs["services.v1"], ErrStuck) {
			t.Errorf("all: %v", errs)
		}
		if err := f.WaitForSync(ctx); err != nil || time.Now().Before(granted) {
			t.Errorf("all, in the end: %v", err)
		}
		stop()
		f.Shutdown()
	})
}

// One or two refusals may come from a server that has just started.
func TestWaitForSyncIsPatientAtFirst(t *testing.T) {
	inBubble(t, func(t *testing.T, ctx context.Context, stop func()) {
		client := fake.NewClientset()
		attempts := 0
		refuse(client, "pods", func() error {
			if attempts++; attempts == StuckAttempts {
				return nil
			}
			return apierrors.NewForbidden(podResource.GroupResource(), "", errors.New("not yet"))
		})
		f := newFactory(client)
		f.pods()
		f.StartWithContext(ctx)
		if err := f.WaitForSync(ctx); err != nil {
			t.Error(err)
		}
		stop()
		f.Shutdown()
	})
}
