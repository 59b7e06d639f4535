package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

const (
	writers    = 8
	namespaces = 4
	// names is the number of objects that a writer has of a resource in a namespace.
	names = 4
)

// writer creates, updates and deletes objects that are its own, at the API server
// itself.
type writer struct {
	client dynamic.Interface
	name   string
	random *rand.Rand
	// writes counts what was done, by all writers.
	writes *atomic.Int64
}

// run writes until ctx ends. What the server refuses, of a resource that is not
// there for example, is left.
func (w *writer) run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := w.write(ctx)
		var refused apierrors.APIStatus
		switch {
		case err == nil:
			w.writes.Add(1)
		case ctx.Err() == nil && !errors.As(err, &refused):
			return fmt.Errorf("writer %s: %w", w.name, err)
		}
		sleep(ctx.Done(), time.Duration(w.random.Int64N(int64(20*time.Millisecond))))
	}
	return nil
}

// write makes an object, or changes or deletes it if it is there.
func (w *writer) write(ctx context.Context) error {
	r := resources[w.random.IntN(len(resources))]
	namespace := fmt.Sprint("namespace-", w.random.IntN(namespaces))
	name := fmt.Sprintf("%s-%d", w.name, w.random.IntN(names))
	client, n := r.client(w.client, namespace), w.random.IntN(1000)
	switch choice := w.random.IntN(200); {
	case choice == 0:
		return client.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{Limit: 10})
	case choice < 30:
		return client.Delete(ctx, name, metav1.DeleteOptions{})
	case choice < 50: // as if in one step: who does not look now sees another UID
		_ = client.Delete(ctx, name, metav1.DeleteOptions{})
	case choice < 150:
		patch, err := json.Marshal(r.object(namespace, name, n))
		if err != nil {
			return err
		}
		_, err = client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		if !apierrors.IsNotFound(err) {
			return err
		}
	}
	_, err := client.Create(ctx, r.object(namespace, name, n), metav1.CreateOptions{})
	return err
}
