package membership

import (
	"context"
	"fmt"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"
)

// limited is a client with client-go's default rate limit.
type limited struct {
	*network
	limiter flowcontrol.RateLimiter
}

func (l limited) Create(ctx context.Context, lease *coordinationv1.Lease, options metav1.CreateOptions) (*coordinationv1.Lease, error) {
	if err := l.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	return l.network.Create(ctx, lease, options)
}

func (l limited) Update(ctx context.Context, lease *coordinationv1.Lease, options metav1.UpdateOptions) (*coordinationv1.Lease, error) {
	if err := l.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	return l.network.Update(ctx, lease, options)
}

func (l limited) List(ctx context.Context, options metav1.ListOptions) (*coordinationv1.LeaseList, error) {
	if err := l.limiter.Wait(ctx); err != nil {
		return nil, err
	}
	return l.network.List(ctx, options)
}

// A client with the default rate limit is slow, but enough: renewals do not wait for the writes
// of slots.
func TestRateLimit(t *testing.T) {
	for _, members := range []int{1, 2} {
		simulate(t, 1, func(w *world) {
			w.wrap = func(n *network) Leases {
				return limited{n, flowcontrol.NewTokenBucketRateLimiter(rest.DefaultQPS, rest.DefaultBurst)}
			}
			for i := range members {
				w.start(fmt.Sprint("r", i), 1).network.set(faults{latency: 100 * time.Millisecond})
			}
			t.Logf("%d members own all slots after %v", members, w.wait(time.Minute))
			if members > 1 {
				w.replicas[0].kill()
				t.Logf("%d after %v, when one has died", members-1, w.wait(time.Minute))
			}
			time.Sleep(2 * time.Minute)
			w.wait(0)
		})
	}
}
