// Package metrics exports the status of informers, controllers and members to Prometheus.
//
//	factory.Status, informer.Status, controller.Status ──► collector ──► registry ──► /metrics
//
// A collector reads the status when it is scraped, and keeps nothing. It costs nothing between scrapes, and
// a scrape waits neither for handlers nor for reconciles. It is registered like any other collector, also
// with controller-runtime's registry:
//
//	prometheus.MustRegister(metrics.NewFactoryCollector(factory, ""))
//	prometheus.MustRegister(metrics.NewControllerCollector(controller))
//
// docs/metrics.md explains each metric, and has an alert for each state that needs operator action.
// docs/metrics has the rules and a dashboard.
//
// # Series
//
// The program bounds the labels, not the cluster: the names of the factory, its informers and their
// handlers, and of controllers; phases, outcomes and classes of failures. No label has a key, an error or a
// namespace, except for the namespaces of a manager's cache that is limited to some.
//
// If several informers of a collector have the same name, they are numbered ("pods.v1#2"). If several
// handlers of an informer have the same name, they are one series: the sum of their counts, and the longest
// of their times. A removed handler and a released informer have no series any more.
//
// Collectors are safe for concurrent use.
package metrics
