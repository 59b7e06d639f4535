// Package chaos tests the runtime on a real Kubernetes API server while
// everything that can go wrong between the two does, all the time, and tests
// that at the end nothing was lost, doubled or made up.
//
// Its Proxy makes the faults: it stands before the API server and cuts
// connections, delays, stops, truncates, garbles and doubles what passes, and
// answers with failures of its own, at random, by a seed. No fault changes an
// object into another valid one, which nobody could detect. The tests add what
// the server itself does to its clients: histories that etcd compacts, and
// definitions that are deleted and installed again.
//
//	make chaos                       two minutes, from a random seed
//	make chaos DURATION=1h SEED=7    longer, from the seed that a failure printed
//	make chaos SEEDS=20              for each of twenty seeds
//	make soak                        ten million events through one informer
//
// A seed decides over faults and writes, but not over how they meet: a failure
// comes back often, not always.
package chaos
