package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// replicaVariable is the environment variable that makes this program a replica. It has the
// replicaOptions as JSON.
const replicaVariable = "DEMO_SHARDS_REPLICA"

// namespace is the namespace of the orders and of the Leases.
const namespace = "shop"

// replicaOptions are the options that a replica is started with.
type replicaOptions struct {
	Name    string
	Actions string // the file of its actions
	Lease   time.Duration
	// Host, Token, CAData and ServerName say how to reach the API server.
	Host, Token, ServerName string
	CAData                  []byte
}

// report is the line of JSON that a replica prints from time to time.
type report struct {
	Member  membership.Status
	Objects int // in the store of its informer
	Handled int64
}

var (
	leases = clients.NewResource[*coordinationv1.Lease, *coordinationv1.LeaseList](coordinationv1.SchemeGroupVersion.WithKind("Lease"), "leases")
	orders = clients.NewResource[*shopv1alpha1.Order, *shopv1alpha1.OrderList](shopv1alpha1.GroupVersion.WithKind("Order"), "orders")
)

// replica is a controller of orders on the shard that its member has.
type replica struct {
	orders   *clients.Client[*shopv1alpha1.Order, *shopv1alpha1.OrderList]
	informer *cache.Informer[*shopv1alpha1.Order]
	recorder *recorder
	handled  atomic.Int64
}

// runReplica is a replica until ctx or the standard input ends.
func runReplica(ctx context.Context, text string) error {
	klog.SetLogger(logr.Discard())
	var o replicaOptions
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // a replica does not outlive the process that started it
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	network := &network{}
	network.follow(ctx)
	client, err := source.NewClient(&rest.Config{
		WrapTransport:   network.wrap,
		Host:            o.Host,
		BearerToken:     o.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: o.CAData, ServerName: o.ServerName},
		QPS:             -1,
	})
	if err != nil {
		return err
	}
	member, err := membership.New(leases.Client(client, namespace), membership.Options{Group: "orders", Identity: o.Name, LeaseDuration: o.Lease})
	if err != nil {
		return err
	}
	r := &replica{orders: orders.Client(client, namespace)}
	if r.recorder, err = newRecorder(o.Actions); err != nil {
		return err
	}
	ordersOfAll := source.New[*shopv1alpha1.Order](client, shopv1alpha1.GroupVersion.WithResource("orders"), "")
	r.informer = cache.New(shard.Source(ordersOfAll, member.Shard()), cache.Options[*shopv1alpha1.Order]{})
	c, err := controller.New("orders", membership.Only(member, r.informer.Store().Get, r.reconcile),
		controller.Options{Workers: 4}, controller.KeysOf(r.informer))
	if err != nil {
		return err
	}
	membership.Enqueue(member, r.informer.Store().All, c.Enqueue)
	return all(ctx, stop, member.Run, r.informer.Run, c.Run, func(ctx context.Context) error {
		return r.print(ctx, member)
	}, func(ctx context.Context) error {
		return r.recorder.sample(ctx, member)
	})
}

// all runs functions until ctx or one of the functions ends.
func all(ctx context.Context, stop func(), functions ...func(context.Context) error) error {
	errs := make(chan error)
	for _, f := range functions {
		go func() {
			err := f(ctx)
			stop()
			errs <- err
		}()
	}
	var err error
	for range functions {
		err = errors.Join(err, <-errs)
	}
	return err
}

// print writes a report from time to time.
func (r *replica) print(ctx context.Context, member *membership.Member) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := json.NewEncoder(os.Stdout).Encode(report{member.Status(), r.informer.Store().Len(), r.handled.Load()}); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// steps is the number of steps of the work on an order, and stepTime the time of one.
const (
	steps    = 3
	stepTime = 3 * time.Millisecond
)

// reconcile works on an order whose spec has changed, and says so in its status.
func (r *replica) reconcile(ctx context.Context, key types.NamespacedName) (result controller.Result, err error) {
	order, ok := r.informer.Store().Get(key)
	if !ok || order.Status.ObservedGeneration == order.Generation {
		return result, nil
	}
	number := r.recorder.last.Add(1)
	for _, what := range []string{"begin", "step", "step", "step"}[:1+steps] {
		if err := r.step(ctx, number, what, order); err != nil {
			return result, err
		}
		time.Sleep(stepTime)
	}
	order = order.DeepCopy()
	order.Status.Phase, order.Status.ObservedGeneration = shopv1alpha1.OrderReserved, order.Generation
	written, err := r.orders.UpdateStatus(ctx, order, metav1.UpdateOptions{})
	if err != nil {
		return result, err
	}
	result.Wrote(r.informer, written)
	r.handled.Add(1)
	return result, r.step(ctx, number, "end", order)
}

// step records a step, if the order still belongs to this replica. The time is taken before
// the context says so: at that time, it did.
func (r *replica) step(ctx context.Context, number int64, what string, order *shopv1alpha1.Order) error {
	at := now()
	if err := ctx.Err(); err != nil {
		if err := r.recorder.record(at, number, "lost", string(order.UID)); err != nil {
			return err
		}
		return fmt.Errorf("order is lost: %w", err)
	}
	return r.recorder.record(at, number, what, string(order.UID))
}
