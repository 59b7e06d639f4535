// Package clients is the base of generated typed clients. They read and write the
// objects of one resource over the connection of a [source.Client], which the informers
// use too, and need no clientset and no scheme.
//
//	generated clients.New(client)  ─► groups ─► versions
//	          Orders("default")    ─► Resource.Client ─► client-go's gentype ─► source.Client
//
// Generated code has the names and the types; the requests are those of
// k8s.io/client-go/gentype, which clientsets are made of too, and so are their
// errors, retries and options. Objects are sent as JSON, whatever the configuration
// says, and received as JSON, or in protobuf if their type has it.
//
// Without generated code, use a Resource:
//
//	var orders = clients.NewResource[*v1.Order, *v1.OrderList](v1.GroupVersion.WithKind("Order"), "orders")
//
//	order, err := orders.Client(client, "default").Get(ctx, "first", metav1.GetOptions{})
//
// # Objects of informers
//
// Objects from listers and handlers are shared. DeepCopy one before changing it, and
// write the copy. What was written arrives in the informer's store later: until then
// the store has the object as it was, and an update of that one is a conflict. Reconciles of
// runtime/controller, and those with its Writes, wait for it.
//
// # Server-side apply
//
// Apply takes an [ApplyConfiguration], a type whose fields are all pointers, so that
// only those that are set are sent. controller-gen (applyconfiguration) and
// code-generator's applyconfiguration-gen write them. Without them, send the fields as
// JSON with Patch, types.ApplyPatchType and a field manager; the API type itself does
// not do, since its zero values would be sent, and owned, as well.
//
// Everything here is safe for concurrent use.
package clients
