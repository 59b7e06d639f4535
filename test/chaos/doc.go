// Package chaos tests the runtime on a real Kubernetes API server with random faults between the two, all
// the time. It checks that at the end no object or event was lost, duplicated or made up.
//
// Its Proxy injects the faults, at random, by a seed. It stands in front of the API server and cuts
// connections, delays, stops, truncates, garbles and duplicates the traffic, and answers with failures of
// its own. No fault changes an object into another valid one, since no client could detect that. The tests
// add faults of the server itself: histories that etcd compacts, and definitions that are deleted and
// installed again.
//
//	make chaos                       two minutes, from a random seed
//	make chaos DURATION=1h SEED=7    longer, from the seed that a failure printed
//	make chaos SEEDS=20              for each of twenty seeds
//	make soak                        ten million events through one informer
//
// A seed determines faults and writes, but not their interleaving: a failure can be
// reproduced often, not always.
package chaos
