// Package generators reads Go packages that declare Kubernetes API types and
// writes typed informers, listers and clients for them.
//
//	patterns ─► load ─► collect ─► Model + diagnostics ─► plan ─► render ─► write, verify or list
//
// Each arrow is a function with data in and data out; Run strings them
// together. The packages below internal are the steps: load knows syntax only,
// collect makes the model, output renders and writes. Packages are read from
// the syntax tree and never type-checked: what is needed are names, comments
// and embedded fields. What a package takes from another one (an alias, the
// struct below a defined type, an embedded base, the full type of a slim one)
// is followed by parsing that one, when it is first needed. Templates of users are
// rendered as our own are; only what places, marks and removes their files is apart.
//
// Every problem is reported at once, as a go/scanner.ErrorList with positions
// relative to the working directory, and nothing is written if there is one.
// The same input gives the same output, byte for byte, in whatever order the
// patterns are.
package generators
