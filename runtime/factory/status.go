package factory

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// Status returns the status of every informer of the factory, sorted by name. It includes informers that
// were not started. Informers of other modules only report whether they run and are in sync, and their
// number of objects, for which Status may have to wait for their locks.
func (r *registry) Status() []core.Status {
	var all []core.Status
	started := r.started()
	for key, m := range r.all() {
		all = append(all, m.status(key.String(), started[key] == m))
	}
	slices.SortFunc(all, func(a, b core.Status) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// status returns the status of the informer. The caller holds no lock, since the informer's locks may be
// waited for.
func (m *member) status(name string, started bool) core.Status {
	if status, ok := clientgocache.StatusOf(m.informer); ok {
		return status
	}
	status := core.Status{
		Name:            name,
		Synced:          m.informer.HasSynced(),
		Objects:         len(m.informer.GetStore().ListKeys()),
		ResourceVersion: m.informer.LastSyncResourceVersion(),
	}
	switch {
	case m.informer.IsStopped():
		status.Phase = core.PhaseStopped
	case status.Synced:
		status.Phase = core.PhaseWatching
	case started:
		status.Phase = core.PhaseListing
	}
	return status
}

// HealthCheck returns a check for a liveness probe of all informers that the factory has when it is called,
// in the form that controller-runtime and apiserver take. It joins the errors of Status.Check of each
// informer, sorted by name. Stale should be several minutes: less than two fails informers of resources
// that do not change. Informers of other modules only fail when they have stopped.
func (r *registry) HealthCheck(stale time.Duration) func(*http.Request) error {
	return func(*http.Request) error {
		var errs []error
		for _, status := range r.Status() {
			errs = append(errs, status.Check(stale))
		}
		return errors.Join(errs...)
	}
}

// ReadyCheck is a check for a readiness probe, in the form that controller-runtime and apiserver take. It
// joins the errors of informers that were started and have not been in sync yet, sorted by name. An
// informer whose resource the server does not have fails it until the resource is installed. An informer
// that has been in sync stays ready; HealthCheck checks whether it still follows the server. A factory that
// was not started is ready, as in a replica that waits to become the leader.
func (r *registry) ReadyCheck(*http.Request) error {
	var errs []error
	for _, status := range r.Status() {
		if status.Phase != core.PhasePending {
			errs = append(errs, status.CheckSynced())
		}
	}
	return errors.Join(errs...)
}

// Lookup returns the objects that the factory's stores hold under a key, by the names of their informers in
// Status. It is for debugging; code that knows the type of an object reads it with a lister. The objects
// belong to the stores and must not be mutated.
func (r *registry) Lookup(key types.NamespacedName) map[string]any {
	found := map[string]any{}
	for of, m := range r.all() {
		if obj, exists := m.stored(key); exists {
			found[m.name(of.String())] = obj
		}
	}
	return found
}

// stored returns the informer's object of a key. It reads the core's store if the informer is one of this
// module, since an indexer may start to follow a name that it is asked for.
func (m *member) stored(key types.NamespacedName) (obj any, exists bool) {
	if informer, _ := clientgocache.Core[any](m.informer); informer != nil {
		return informer.Store().Get(key)
	}
	obj, exists, err := m.informer.GetStore().GetByKey(cache.NewObjectName(key.Namespace, key.Name).String())
	return obj, exists && err == nil
}

// name returns the informer's name in its status, or otherwise if it has no status.
func (m *member) name(otherwise string) string {
	if status, ok := clientgocache.StatusOf(m.informer); ok {
		return status.Name
	}
	return otherwise
}
