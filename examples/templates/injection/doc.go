// Package injection has templates of packages for knative's injection, which puts informers into a context:
// one for each type, whose Get returns the informer of a context, and those that they need.
//
//	go generate .
//
// writes them below pkg/generated/informers/injection, with the flags of informer-gen.yaml:
//
//	client    the connection, made of the program's rest.Config
//	factory   the factory over it, of all namespaces or of that in the context
//	shop/v1/order   the informer of orders
//
// A program imports the packages of the types that it needs, and injection.EnableInjectionOrDie makes and
// starts their informers. injection_test.go does so on a server in memory.
package injection

//go:generate go tool informer-gen
