package cachetest

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// API is an API server of one resource, in memory. It is a cache.Objects of all namespaces. InNamespace
// returns the source of a single namespace.
//
// Create, Update, Delete, Get and Objects are for the test: they meet no faults and are not logged. List
// and Watch are for informers.
//
// An API is safe for concurrent use. Every object is copied on its way in and
// on its way out.
type API[T runtime.Object] struct{ engine }

// NewAPI returns an API that holds the objects, created in that order. The empty API has the
// resourceVersion 1.
//
// If one of the objects can't be created, its error comes from every later
// request.
func NewAPI[T runtime.Object](objs ...T) *API[T] {
	kind := reflect.TypeFor[T]()
	a := &API[T]{engine{
		goType:   kind,
		resource: schema.GroupResource{Resource: strings.ToLower(elem(kind).Name()) + "s"},
		objects:  map[types.NamespacedName]*version{},
		history:  newHistory(1),
	}}
	for _, obj := range objs {
		if _, err := a.Create(obj); err != nil {
			a.invalid = err // each further Create returns it too
			break
		}
	}
	return a
}

// Create adds the object and returns it as stored, with a resourceVersion. If it has none, it also gets a
// UID, a creationTimestamp and the generation 1. An object without a name gets one made of its
// generateName.
//
// Possible errors: AlreadyExists, BadRequest for an object without a name or
// with a resourceVersion.
func (a *API[T]) Create(obj T) (T, error) { return typed[T](a.create(obj)) }

// Update replaces the object of the same namespace and name, and returns it as stored. An empty
// resourceVersion, UID or creationTimestamp is taken from the stored object. The generation goes up by one
// if anything but metadata and status changes, unless the new object has a generation of its own. As on a
// real server, an update that changes nothing is no event and keeps the resourceVersion.
//
// Possible errors: NotFound; Conflict, if the resourceVersion or the UID differs from the stored object's.
func (a *API[T]) Update(obj T) (T, error) { return typed[T](a.update(obj)) }

// Delete removes an object at once, whatever its finalizers, and returns its
// last state with the resourceVersion of the deletion.
//
// Possible errors: NotFound.
func (a *API[T]) Delete(key types.NamespacedName) (T, error) { return typed[T](a.delete(key)) }

// Get returns the object of a key, or the error NotFound.
func (a *API[T]) Get(key types.NamespacedName) (T, error) { return typed[T](a.get(key)) }

// typed returns an object with its type. It returns no object with an error.
func typed[T runtime.Object](obj runtime.Object, err error) (T, error) {
	t, _ := obj.(T)
	return t, err
}

// Objects returns every object, ordered by namespace and name, to compare a cache with.
func (a *API[T]) Objects() []T {
	a.mu.Lock()
	versions := a.snapshotLocked(a.history.tail.rv)
	a.mu.Unlock()
	objs := make([]T, len(versions))
	for i, v := range versions {
		objs[i], _ = v.copy().(T)
	}
	return objs
}

// Source returns the source of the objects of all namespaces.
func (a *API[T]) Source() cache.Source[T] { return cache.Source[T]{Objects: &a.engine} }

// InNamespace returns a source of the objects of one namespace.
func (a *API[T]) InNamespace(namespace string) cache.Source[T] {
	return cache.Source[T]{Objects: namespaced{engine: &a.engine, namespace: namespace}}
}

// engine is the part of an API that does not depend on the Go type of its objects.
type engine struct {
	// goType is the type of the objects.
	goType reflect.Type

	mu sync.Mutex
	// invalid is the error of the objects given to NewAPI.
	invalid error
	// resource is the resource that errors name.
	resource schema.GroupResource
	// objects holds the latest state, and history the changes that led to it.
	objects map[types.NamespacedName]*version
	history history
	// listed is the latest snapshot that was listed, for its further pages.
	listed snapshot
	// created counts the objects that were ever created, for their UIDs.
	created uint64

	// uninstalled reports whether the server does not know the resource.
	uninstalled bool

	// filtersShards reports whether shard selectors are obeyed.
	filtersShards atomic.Bool

	uncached bool
	faults   []*Fault
	// chaos is nil without FailRandomly.
	chaos    *chaos
	requests []*Request
	watches  int
}

func (a *engine) create(obj runtime.Object) (runtime.Object, error) {
	return a.write(http.MethodPost, obj, func(v *version) (*version, error) {
		if v.meta.GetResourceVersion() != "" {
			return nil, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
		}
		if v.meta.GetName() == "" && v.meta.GetGenerateName() != "" {
			v.meta.SetName(a.generateNameLocked(v.meta.GetGenerateName()))
		}
		if v.meta.GetName() == "" {
			return nil, apierrors.NewBadRequest("name or generateName is required")
		}
		if a.objects[v.key()] != nil {
			return nil, apierrors.NewAlreadyExists(a.resource, v.meta.GetName())
		}
		if uid := a.nextUIDLocked(); v.meta.GetUID() == "" {
			v.meta.SetUID(uid)
		}
		if created := v.meta.GetCreationTimestamp(); created.IsZero() {
			v.meta.SetCreationTimestamp(now())
		}
		if v.meta.GetGeneration() == 0 {
			v.meta.SetGeneration(1)
		}
		a.changeLocked(v.key(), v)
		return v, nil
	})
}

func (a *engine) update(obj runtime.Object) (runtime.Object, error) {
	return a.write(http.MethodPut, obj, func(v *version) (*version, error) {
		old := a.objects[v.key()]
		if old == nil {
			return nil, apierrors.NewNotFound(a.resource, v.meta.GetName())
		}
		if err := a.checkLocked(old, v.meta); err != nil {
			return nil, err
		}
		v.inherit(old)
		if equality.Semantic.DeepEqual(v.object, old.object) {
			return old, nil
		}
		a.changeLocked(v.key(), v)
		return v, nil
	})
}

func (a *engine) delete(key types.NamespacedName) (runtime.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	old, err := a.storedLocked(http.MethodDelete, key)
	if err != nil {
		return nil, err
	}
	a.changeLocked(key, nil)
	return old.copyAt(a.history.tail.rv), nil
}

func (a *engine) get(key types.NamespacedName) (runtime.Object, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	v, err := a.storedLocked(http.MethodGet, key)
	if err != nil {
		return nil, err
	}
	return v.copy(), nil
}

// storedLocked returns the object of a key for a request with a method.
func (a *engine) storedLocked(method string, key types.NamespacedName) (*version, error) {
	if err := a.unavailableLocked(method); err != nil {
		return nil, err
	}
	v := a.objects[key]
	if v == nil {
		return nil, apierrors.NewNotFound(a.resource, key.Name)
	}
	return v, nil
}

// FilterShards sets whether the server has the feature gate ShardedListAndWatch (KEP-5866), and so obeys
// shard selectors, also in open watches. By default it ignores them, like servers without the gate.
func (a *engine) FilterShards(on bool) { a.filtersShards.Store(on) }

// ResourceVersion returns the latest resourceVersion of the API.
func (a *engine) ResourceVersion() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return formatVersion(a.history.tail.rv)
}

// Compact drops the history before the latest resourceVersion, as etcd does every few minutes with an older
// one. A list, a watch or a continue token from an older version then fails with 410 Expired. Open watches
// continue.
func (a *engine) Compact() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.history.compact(a.history.tail.rv)
}

// Restart simulates a new cluster at the same address. An API server that only restarts keeps its history:
// use BreakWatches for that. Open watches break with io.ErrUnexpectedEOF, resourceVersions start again at
// 1, and all objects are created again, in the order of namespace and name, with new UIDs.
//
// Clients that know the old history get the responses of a real server. A list from a resourceVersion that
// the server has not reached fails with the cause ResourceVersionTooLarge. A watch from such a version
// opens, and is silent until there is a later one: neither the changes up to it nor their bookmarks are
// sent.
func (a *engine) Restart() {
	a.mu.Lock()
	defer a.mu.Unlock()
	restored := a.snapshotLocked(a.history.tail.rv)
	a.beginLocked(1, make(map[types.NamespacedName]*version, len(restored)))
	for _, v := range restored {
		v = newVersion(v.copy())
		v.meta.SetUID(a.nextUIDLocked())
		a.changeLocked(v.key(), v)
	}
}

// Restore is Restart from a backup: the API continues from the state at an earlier resourceVersion. As
// after a restore of etcd, the same resourceVersions are then used a second time, for other objects and
// other states. Restore fails if the resourceVersion is not a number, is later than the latest, or is lost
// to a compaction.
func (a *engine) Restore(resourceVersion string) error {
	rv, err := parseVersion(resourceVersion)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if first, latest := a.history.base.rv, a.history.tail.rv; rv < first || rv > latest {
		return fmt.Errorf("resourceVersion %d: not in the history from %d to %d", rv, first, latest)
	}
	a.uninstalled = false
	a.beginLocked(rv, maps.Clone(a.history.stateAt(rv, a.objects)))
	return nil
}

// beginLocked breaks the watches, and starts a new history.
func (a *engine) beginLocked(rv uint64, objects map[types.NamespacedName]*version) {
	a.signalLocked(ended, io.ErrUnexpectedEOF)
	a.objects = objects
	a.history = newHistory(rv)
	a.listed = snapshot{}
}

// Uninstall removes the resource from the server, like the deletion of its CustomResourceDefinition. Every
// object is deleted, with its event, and the watches end normally. Any other request gets 404 NotFound
// until Install.
func (a *engine) Uninstall() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, v := range a.snapshotLocked(a.history.tail.rv) {
		a.changeLocked(v.key(), nil)
	}
	a.signalLocked(ended, io.EOF)
	a.uninstalled = true
}

// Install makes the resource come back after Uninstall. ResourceVersions continue, and the earlier history
// is lost.
func (a *engine) Install() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.uninstalled {
		a.uninstalled = false
		a.history.compact(a.history.tail.rv)
	}
}

// unavailableLocked returns the error of every request, or nil. After Uninstall, it is the error that a
// client makes of a response that is no status.
func (a *engine) unavailableLocked(method string) error {
	if a.uninstalled {
		return apierrors.NewGenericServerResponse(http.StatusNotFound, method, a.resource, "", "404 page not found", 0, true)
	}
	return a.invalid
}

// generateNameLocked returns a name that no other object was ever given.
func (a *engine) generateNameLocked(prefix string) string {
	return fmt.Sprintf("%s%05d", prefix, a.created+1)
}

func (a *engine) nextUIDLocked() types.UID {
	a.created++
	return types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", a.created))
}

// write passes a copy of obj to change, with the API locked, and returns a copy of its result.
func (a *engine) write(method string, obj runtime.Object, change func(*version) (*version, error)) (runtime.Object, error) {
	v, err := ingest(obj)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.unavailableLocked(method); err != nil {
		return nil, err
	}
	if v, err = change(v); err != nil {
		return nil, err
	}
	return v.copy(), nil
}

// checkLocked refuses an update of another object or state than the stored one.
func (a *engine) checkLocked(old *version, updated metav1.Object) error {
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(a.resource, old.meta.GetName(), fmt.Errorf(format, args...))
	}
	if uid, stored := updated.GetUID(), old.meta.GetUID(); uid != "" && uid != stored {
		return conflict("UID in precondition: %s, UID in object meta: %s", uid, stored)
	}
	if rv, stored := updated.GetResourceVersion(), old.meta.GetResourceVersion(); rv != "" && rv != stored {
		return conflict("the object has been modified: resourceVersion %s is not the latest, %s", rv, stored)
	}
	return nil
}

// changeLocked adds a new state of one object to the history, or its deletion for nil.
func (a *engine) changeLocked(key types.NamespacedName, v *version) {
	rv := a.history.tail.rv + 1
	before := a.objects[key]
	if v == nil {
		delete(a.objects, key)
	} else {
		v.meta.SetResourceVersion(formatVersion(rv))
		a.objects[key] = v
	}
	a.history.append(&record{kind: changed, rv: rv, key: key, before: before, after: v})
}

// snapshotLocked returns the objects at a resourceVersion in the history, ordered by key. The slice is
// shared and read-only.
func (a *engine) snapshotLocked(rv uint64) []*version {
	if a.listed.versions == nil || a.listed.rv != rv {
		state := a.history.stateAt(rv, a.objects)
		versions := make([]*version, 0, len(state))
		for _, v := range state {
			versions = append(versions, v)
		}
		slices.SortFunc(versions, func(x, y *version) int { return compareKeys(x.key(), y.key()) })
		a.listed = snapshot{rv: rv, versions: versions}
	}
	return a.listed.versions
}
