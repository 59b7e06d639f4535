// Package fakes has templates of clients for tests: they have the interfaces of the generated clients, and
// objects in memory in place of a server. They have the reactors and actions of client-go's fake
// clientsets.
//
// informer-gen.yaml of this module names the folder under templates, so that
//
//	go generate .
//
// writes pkg/generated/clients/fake. clients.go.tmpl has the accessors of each type, and objects.go.tmpl
// what they share. reserve_test.go is a test with them.
package fakes
