// Package orders has the objects that the server of the benchmarks serves and their clients read: custom
// resources of about 5 KB in JSON.
package orders

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"k8s.io/client-go/rest"

	shop "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// Resource is the resource of the orders in the API, and Kind their kind.
var Resource = shop.GroupVersion.WithResource("orders")

// Kind of an order.
const Kind = "Order"

// Connection says how to reach the server, in the form in which one process passes it to another.
type Connection struct {
	Host, Token string
	TLS         rest.TLSClientConfig
	PID         int // of the server, 0 if nobody asks what it takes
}

// Config returns the configuration of a client, without a limit to its rate.
func (c Connection) Config() *rest.Config {
	return &rest.Config{Host: c.Host, BearerToken: c.Token, TLSClientConfig: c.TLS, QPS: -1}
}

// New returns the i-th order.
func New(i int) *shop.Order {
	o := &shop.Order{}
	o.APIVersion, o.Kind = shop.GroupVersion.String(), Kind
	o.Namespace = fmt.Sprintf("shop-%d", i%50)
	o.Name = fmt.Sprintf("order-%d", i)
	o.Labels = map[string]string{"customer": fmt.Sprintf("customer-%d", i%1000), "app.kubernetes.io/part-of": "shop"}
	o.Annotations = map[string]string{"shop.example.com/note": strings.Repeat("as it was ordered, ", 60) + o.Name}
	o.Spec.Customer = o.Labels["customer"]
	o.Spec.Warehouse = fmt.Sprintf("warehouse-%d", i%10)
	for line := range 50 {
		o.Spec.Items = append(o.Spec.Items, shop.OrderItem{SKU: fmt.Sprintf("article-%d-%d", i, line), Quantity: int32(line + 1)})
	}
	for _, condition := range []string{"Accepted", "Paid", "Reserved", "Shipped"} {
		o.Status.Conditions = append(o.Status.Conditions, metav1.Condition{
			Type: condition, Status: metav1.ConditionTrue, Reason: "Done",
			Message: fmt.Sprintf("the order %s is now %s by customer %s", o.Name, condition, o.Spec.Customer),
		})
	}
	return o
}
