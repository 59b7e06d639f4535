package chaos

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"golang.org/x/sync/errgroup"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// rage writes and lets happen what can until the time is up. At the end all
// resources are served.
func (w *world) rage(ctx context.Context) error {
	raging, calm := context.WithCancel(ctx) // clients would refuse to begin what a deadline could end
	defer time.AfterFunc(*duration, calm).Stop()
	defer calm()
	group, raging := errgroup.WithContext(raging)
	for i := range writers {
		writer := &writer{client: w.client, name: fmt.Sprint("writer-", i), random: w.fork(), writes: &w.writes}
		group.Go(func() error { return writer.run(raging) })
	}
	for _, happens := range []func(context.Context, *rand.Rand) error{
		w.compact, w.reinstall, w.comeAndGo, w.visit, w.visit, w.visit, w.observe,
	} {
		random := w.fork()
		group.Go(func() error { return happens(raging, random) })
	}
	return group.Wait()
}

// every calls do after random pauses of up to twice a duration until ctx ends.
func every(ctx context.Context, random *rand.Rand, pause time.Duration, do func() error) error {
	for {
		sleep(ctx.Done(), time.Duration(random.Int64N(int64(2*pause))))
		if ctx.Err() != nil {
			return nil
		}
		if err := do(); err != nil {
			return err
		}
	}
}

// compact removes the history from etcd, so that clients that are behind get 410.
func (w *world) compact(ctx context.Context, random *rand.Rand) error {
	return every(ctx, random, time.Second, func() error {
		err := w.server.Compact(context.WithoutCancel(ctx))
		if errors.Is(err, rpctypes.ErrCompacted) { // nothing was written since
			return nil
		}
		return err
	})
}

// reinstall deletes a definition, with all objects, and installs it again.
func (w *world) reinstall(ctx context.Context, random *rand.Rand) error {
	definitions, err := clientset.NewForConfig(w.server.Config())
	if err != nil {
		return err
	}
	return every(ctx, random, 5*time.Second, func() error {
		r := resources[random.IntN(len(resources))]
		// What has begun is brought to its end.
		whole, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), settleTimeout, fmt.Errorf("%s: not deleted and installed in time", r.kind))
		defer cancel()
		name := r.GroupResource().String()
		api := definitions.ApiextensionsV1().CustomResourceDefinitions()
		if err := api.Delete(whole, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
		for {
			if _, err := api.Get(whole, name, metav1.GetOptions{}); apierrors.IsNotFound(err) {
				break
			} else if err != nil {
				return err
			}
			sleep(whole.Done(), 20*time.Millisecond)
		}
		sleep(ctx.Done(), time.Duration(random.Int64N(int64(3*time.Second))))
		return w.server.InstallCRDs(whole, r.definition)
	})
}

// comeAndGo adds and removes handlers of all modes, and adds indexes.
func (w *world) comeAndGo(ctx context.Context, random *rand.Rand) error {
	indexes := 0
	return every(ctx, random, 20*time.Millisecond, func() error {
		s := w.subjects[random.IntN(len(w.subjects))]
		switch choice := random.IntN(100); {
		case choice < 45:
			return s.join(modes[random.IntN(len(modes))], false, w.calm, random)
		case choice < 48 && indexes < 5*len(w.subjects):
			indexes++
			return s.addIndex()
		case choice < 50 && s.status().Synced && len(s.status().Handlers) < 30:
			return s.join(modes[random.IntN(len(modes))], true, w.calm, random)
		default:
			return s.part(random)
		}
	})
}

// observe looks at the versions in the stores.
func (w *world) observe(ctx context.Context, random *rand.Rand) error {
	return every(ctx, random, 20*time.Millisecond, func() error {
		for _, s := range w.subjects {
			s.observe()
		}
		return nil
	})
}
