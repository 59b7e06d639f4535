// Package metrics shows the status of informers and controllers to Prometheus.
//
//	factory.Status, informer.Status, controller.Status ──► collector ──► registry ──► /metrics
//
// A collector asks for the status when it is scraped, and keeps nothing: between scrapes it
// costs nothing, and a scrape waits neither for handlers nor for reconciles. It is registered
// like any other, with controller-runtime's registry too:
//
//	prometheus.MustRegister(metrics.NewFactoryCollector(factory, ""))
//	prometheus.MustRegister(metrics.NewControllerCollector(controller))
//
// docs/metrics.md says what each metric tells and has an alert for each state that needs a
// person; docs/metrics has the rules and a dashboard.
//
// # Series
//
// Labels are bounded by the program, not by the cluster: the names of the factory, its
// informers and their handlers, and of controllers; phases, outcomes and classes of failures.
// No label has a namespace (but of a manager's cache that is limited to some), a key or an
// error. Informers of one collector that have the same
// name are numbered ("pods.v1#2"), and handlers of one informer that have the same name are
// one series: the sum of their counts, and the longest of their times. A handler that was
// removed, or an informer that was released, has no series any more.
//
// Collectors are safe for concurrent use.
package metrics
