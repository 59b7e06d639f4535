package statuspage

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// shop is a factory with an informer in each state.
type shop struct {
	statuses []cache.Status
	objects  map[string]any
}

func (s *shop) Status() []cache.Status { return s.statuses }

func (s *shop) Lookup(key types.NamespacedName) map[string]any {
	if key.String() != "customer-1/order-17" {
		return nil
	}
	return s.objects
}

type controllerStatus controller.Status

func (s controllerStatus) Status() controller.Status { return controller.Status(s) }

// newShop is a shop as it is at that time.
func newShop(now time.Time) *shop {
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	forbidden := apierrors.NewForbidden(schema.GroupResource{Group: "shop.example.com", Resource: "warehouses"}, "",
		errors.New(`User "system:serviceaccount:shop:controller" cannot list resource "warehouses" in API group "shop.example.com" at the cluster scope`))
	absent := &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Code: http.StatusNotFound, Reason: metav1.StatusReasonNotFound,
		Message: "the server could not find the requested resource (get returns.shop.example.com)"}}
	order := &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{
		Namespace: "customer-1", Name: "order-17", ResourceVersion: "81234", UID: "7c6b9a6e-9d0c-4d38-9b5c-1f2d3e4a5b6c", Generation: 3,
		CreationTimestamp: metav1.NewTime(ago(26 * time.Minute)),
		ManagedFields:     []metav1.ManagedFieldsEntry{{Manager: "kubectl"}},
	}, Spec: v1alpha1.OrderSpec{Customer: "Ada", Warehouse: "north", Items: []v1alpha1.OrderItem{{SKU: "book", Quantity: 2}}}}
	return &shop{
		objects: map[string]any{"orders.v1alpha1.shop.example.com": order, "shipments.v1alpha1.shop.example.com": &metav1.PartialObjectMetadata{
			ObjectMeta: metav1.ObjectMeta{Namespace: "customer-1", Name: "order-17", ResourceVersion: "81240"},
		}},
		statuses: []cache.Status{{
			Name: "orders.v1alpha1.shop.example.com", Phase: cache.PhaseWatching, Since: ago(47 * time.Minute), Started: ago(50 * time.Minute), Synced: true,
			Objects: 18412, ResourceVersion: "81240", LastEvent: ago(400 * time.Millisecond), LastBookmark: ago(31 * time.Second), LastContact: ago(400 * time.Millisecond),
			Reconnects: 9, ReconnectReason: fmt.Errorf("watch: %w: 4m0s", failure.ErrWatchIdle),
			Relists: 1, RelistReason: fmt.Errorf("watch: %w", failure.ErrHistoryRestarted), RelistReasons: failure.Counts{failure.ClassExpired: 1},
			Lists: failure.Outcomes{Succeeded: 2}, Watches: failure.Outcomes{Succeeded: 8, Failed: failure.Counts{failure.ClassSilent: 1, failure.ClassConnection: 1}},
			Events: 64210, Bookmarks: 51, ObjectErrors: 2, LeftOut: 1, LeftOutObjects: map[string]string{"customer-3/order-9": `index "byWarehouse": warehouse is missing`},
			Handlers: []cache.HandlerStatus{
				{Name: "invoices", Backlog: 12840, Lag: 74 * time.Second, Delivered: 51370, LongestCall: 2300 * time.Millisecond},
				{Name: "stock", Delivered: 64208, LongestCall: 12 * time.Millisecond, Panics: 1, LastPanic: ago(6 * time.Minute)},
			},
		}, {
			Name: "returns.v1alpha1.shop.example.com", Phase: cache.PhaseAbsent, Since: ago(3 * time.Minute), Started: ago(50 * time.Minute), NextAttempt: now.Add(7 * time.Second),
			Attempts: 18, FailingSince: ago(3 * time.Minute), LastError: fmt.Errorf("watch-list: %w; is its CRD installed?", absent), LastContact: ago(3 * time.Second),
			WatchLists: failure.Outcomes{Failed: failure.Counts{failure.ClassNotFound: 18}},
		}, {
			Name: "shipments.v1alpha1.shop.example.com", Phase: cache.PhaseListing, Since: ago(2 * time.Second), Started: ago(2 * time.Second), Received: 6500, Expected: 9120,
		}, {
			Name: "warehouses.v1alpha1.shop.example.com", Phase: cache.PhaseBackingOff, Since: ago(9 * time.Second), Started: ago(50 * time.Minute), NextAttempt: now.Add(21 * time.Second),
			Attempts: 12, FailingSince: ago(8 * time.Minute), LastError: fmt.Errorf("list: %w; RBAC must grant list and watch on warehouses.shop.example.com", forbidden),
			Lists: failure.Outcomes{Failed: failure.Counts{failure.ClassForbidden: 12}}, WatchLists: failure.Outcomes{Failed: failure.Counts{failure.ClassForbidden: 12}},
		}},
	}
}

// shippers is a controller at work.
func shippers(now time.Time) controllerStatus {
	return controllerStatus{
		Name: "shipments", Synced: true, Waiting: 14, Oldest: 3200 * time.Millisecond, Delayed: 41,
		Running: []controller.Running{
			{Key: types.NamespacedName{Namespace: "customer-2", Name: "order-4"}, For: 1400 * time.Millisecond},
			{Key: types.NamespacedName{Namespace: "customer-1", Name: "order-17"}, For: 20 * time.Millisecond},
		},
		Succeeded: 48120, Failed: 31, Terminal: 2, TerminalErrors: []controller.KeyError{{Key: types.NamespacedName{Namespace: "customer-4", Name: "order-2"}, Err: errors.New("no such warehouse: moon")}},
		LastError: errors.New("warehouse north is full"), LastErrorKey: types.NamespacedName{Namespace: "customer-1", Name: "order-12"}, LastErrorTime: now.Add(-14 * time.Second),
	}
}

// remember gives a page the samples of ten minutes.
func remember(p *Page, now time.Time) {
	orders := p.factory.Status()[0]
	for i := range historySize {
		left := historySize - i
		then := orders
		wave := 1 + math.Sin(float64(i)/9)
		done := uint64(float64(left)*300 + 2000*math.Sin(float64(left)/9))
		then.Events -= done
		invoices, stock := orders.Handlers[0], orders.Handlers[1]
		invoices.Backlog = max(0, (i-60)*215)
		invoices.Delivered -= uint64(left*300 + int(900*math.Sin(float64(left)/5)))
		stock.Backlog = int(40 * wave)
		stock.Delivered -= done
		then.Handlers = []cache.HandlerStatus{invoices, stock}
		p.history.add(newSample(now.Add(-time.Duration(left)*p.options.Interval), []cache.Status{then}))
	}
}

// hostileName is a name that must not break the page, and hostileKey the key of an object of that name.
const (
	hostileName = `"'><script>document.title='owned'</script><img src=x onerror=alert(1)>&amp;` + "\xff\u202e\n</style></textarea>" + `{{.}}` + "verylongwordwithoutanyspace_verylongwordwithoutanyspace_verylongwordwithoutanyspace"
	hostileKey  = "ns/<b>name</b>"
)

// hostile is a factory in which everything has that name.
func hostile() *shopOf {
	object := &v1alpha1.Order{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "<b>name</b>", ResourceVersion: hostileName, UID: hostileName}}
	object.Spec.Customer = hostileName
	failing := errors.New(hostileName)
	now := time.Now()
	return &shopOf{
		objects: map[string]any{hostileName: object},
		statuses: []cache.Status{{
			Name: hostileName, Phase: cache.PhaseBackingOff, Started: now, Attempts: 1, LastError: failing, ResourceVersion: hostileName,
			RelistReason: failing, ReconnectReason: failing, LeftOut: 1, LeftOutObjects: map[string]string{hostileName: hostileName},
			Names:      &cache.NamesStatus{Failing: 1, Reasons: map[string]string{hostileName: hostileName}},
			Namespaces: []cache.Status{{Name: hostileName, LastError: failing}},
			Handlers:   []cache.HandlerStatus{{Name: hostileName, Panics: 1}},
		}},
	}
}

// shopOf is a factory that has the same objects under every key.
type shopOf shop

func (s *shopOf) Status() []cache.Status { return s.statuses }

func (s *shopOf) Lookup(types.NamespacedName) map[string]any { return s.objects }
