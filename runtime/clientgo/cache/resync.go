package cache

import "time"

const minimumResyncPeriod = time.Second

// resyncPlan is the schedule of a handler's resyncs.
type resyncPlan struct {
	// period is the handler's period. Zero means never.
	period time.Duration
	// check is the informer's new check period. Handlers that are added after the start are raised to it.
	check time.Duration
	// warning says why the period differs from the requested one. It is empty if it does not.
	warning string
}

// unchanged reports whether the handler is called for objects that a relist found unchanged. client-go does
// so unless the informer has resyncs, but this handler has none.
func (p resyncPlan) unchanged() bool { return p.check == 0 || p.period > 0 }

// planResync decides on the resync period of a handler that asks for desired, given the informer's check
// period. A desired period of zero means no resyncs for the handler, and a check period of zero no resyncs
// at all. Before the informer has started, a handler may lower the check period.
func planResync(desired, check time.Duration, started bool) resyncPlan {
	p := resyncPlan{period: desired, check: check}
	if desired == 0 {
		return p
	}
	if desired > 0 && desired < minimumResyncPeriod {
		p.period = minimumResyncPeriod
		p.warning = "resync period is too small, changing it to the minimum allowed value"
	}
	switch {
	case check == 0:
		p.period = 0
		p.warning = "resync period is without effect, this shared informer doesn't support resyncing"
	case p.period >= check:
	case p.period > 0 && !started:
		p.check = p.period
	default:
		p.period = check
		p.warning = "resync period is smaller than the resync check period of the informer, changing it to that"
	}
	return p
}
