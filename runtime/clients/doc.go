// Package clients is the base of generated typed clients. A client reads and writes the objects of one
// resource over the connection of a [source.Client], which informers can share. It needs no clientset and
// no scheme.
//
//	generated clients.New(client)  ─► groups ─► versions
//	          Orders("default")    ─► Resource.Client ─► client-go's gentype ─► source.Client
//
// Generated code adds the names and the types. The requests are made by k8s.io/client-go/gentype, as in
// clientsets, so errors, retries and options are the same. Objects are sent as JSON, whatever the
// configuration says. They are received in protobuf if their type supports it, and otherwise as JSON.
//
// Without generated code, use a Resource:
//
//	var orders = clients.NewResource[*v1.Order, *v1.OrderList](v1.GroupVersion.WithKind("Order"), "orders")
//
//	order, err := orders.Client(client, "default").Get(ctx, "first", metav1.GetOptions{})
//
// # Objects of informers
//
// Objects from listers and handlers are shared: DeepCopy an object before you change it, and write the
// copy. The write arrives in the informer's store later. Until then the store has the old object, and an
// update of that object is a conflict. Reconciles of runtime/controller wait for the write, and so do
// controllers that use its Writes.
//
// # Server-side apply
//
// Apply takes an [ApplyConfiguration], a type whose fields are all pointers, so that only the fields that
// are set are sent. controller-gen (applyconfiguration) and code-generator's applyconfiguration-gen write
// such types. Without them, send the fields as JSON with Patch, types.ApplyPatchType and a field manager.
// The API type itself is not suitable, since its zero values would be sent, and owned, as well.
//
// Everything here is safe for concurrent use.
package clients
