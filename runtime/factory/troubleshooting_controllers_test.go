package factory_test

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/controller"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// control runs a controller of the orders. The returned function stops it, and returns the
// error of Run.
func (s *stage) control(reconcile controller.Reconcile, options controller.Options) (*controller.Controller, func() error) {
	s.Helper()
	if s.informer == nil {
		s.new()
	}
	c, err := controller.New("shipper", reconcile, options, controller.KeysOf(s.informer))
	s.check(err)
	ctx, stop := context.WithCancel(s.ctx)
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return c, func() error {
		stop()
		return <-ended
	}
}

func nothingToDo(context.Context, types.NamespacedName) (controller.Result, error) {
	return controller.Result{}, nil
}

func controllerThatWaits(s *stage) {
	shipments := cache.New(cachetest.NewAPI[*shopv1alpha1.Shipment]().Source(), cache.Options[*shopv1alpha1.Shipment]{Name: "shipments.v1alpha1.shop.example.com"})
	_, stop := s.control(nothingToDo, controller.Options{WaitFor: []controller.SyncWaiter{shipments}})
	s.start(40 * time.Second)
	s.seeLog()
	s.see("Run", stop())
}

func reconcilesThatFail(s *stage) {
	failures := 0
	c, stop := s.control(func(context.Context, types.NamespacedName) (controller.Result, error) {
		switch failures++; failures {
		case 1:
			return controller.Result{}, errors.New("no stock")
		case 2:
			panic("no customer")
		case 3:
			return controller.Result{}, controller.Terminal(errors.New("customer is unknown"))
		}
		return controller.Result{}, nil
	}, controller.Options{})
	_, err := s.api.Delete(types.NamespacedName{Namespace: "shop", Name: "second"})
	s.check(err)
	s.start(time.Minute)
	s.seeLog()
	s.see("Failed", c.Status().Failed)
	s.see("Terminal", c.Status().Terminal)
	s.see("LastErrorKey", c.Status().LastErrorKey)
	s.check(stop())
}

func reconcileThatIsStuck(s *stage) {
	c, stop := s.control(func(ctx context.Context, _ types.NamespacedName) (controller.Result, error) {
		<-ctx.Done()
		return controller.Result{}, ctx.Err()
	}, controller.Options{})
	s.start(20 * time.Minute)
	s.see("HealthCheck", c.HealthCheck(10*time.Minute)(nil))
	s.see("Waiting", c.Status().Waiting)
	s.see("Oldest", c.Status().Oldest)
	s.check(stop())
}

func writeThatIsNotSeen(s *stage) {
	_, stop := s.control(func(_ context.Context, key types.NamespacedName) (result controller.Result, err error) {
		written := order(key.Name)
		written.ResourceVersion = "1000"
		result.Wrote(s.informer, written)
		return result, nil
	}, controller.Options{})
	_, err := s.api.Delete(types.NamespacedName{Namespace: "shop", Name: "second"})
	s.check(err)
	s.start(70 * time.Second)
	s.seeLog()
	s.check(stop())
}

func fenceThatWaits(s *stage) {
	s.start(time.Second)
	s.api.Fail(cachetest.Fault{Verb: cachetest.List, Times: 1, Err: cachetest.ErrConnectionRefused})
	s.log.take()
	_, stop := s.control(nothingToDo, controller.Options{Fence: true})
	s.pass(time.Minute)
	s.seeLog()
	s.check(stop())
}

func controllerWhoseInformerStops(s *stage) {
	_, wait := s.control(nothingToDo, controller.Options{})
	ctx, stop := context.WithCancel(s.ctx)
	s.factory.StartWithContext(ctx)
	s.pass(time.Second)
	stop()
	s.pass(time.Second)
	s.see("Run", wait())
}
