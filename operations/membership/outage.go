package membership

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// outage collects the failures of requests since the last step without a failure.
type outage struct {
	failures int
	// failed reports whether a request of this step has failed.
	failed bool
	// logged holds the kinds of failures that were logged.
	logged map[refusal]bool
}

// refusal is a kind of failure that is logged once. The reason is empty if the server does not answer.
type refusal struct {
	verb   string
	reason metav1.StatusReason
}

// add counts a failure, and reports whether it is the first of its kind.
func (o *outage) add(verb string, err error) (first bool) {
	of := refusal{verb, apierrors.ReasonForError(err)}
	if first = !o.logged[of]; first && o.logged == nil {
		o.logged = map[refusal]bool{}
	}
	o.logged[of], o.failed = true, true
	o.failures++
	return first
}

// step ends a step. If an outage ends with it, step returns the number of its failures, and 0 otherwise.
func (o *outage) step() (failures int) {
	if o.failed {
		o.failed = false
		return 0
	}
	failures, *o = o.failures, outage{}
	return failures
}

// reportFailure notes that a request has failed, and logs the first one of each kind.
func (m *Member) reportFailure(ctx context.Context, verb string, err error) {
	first := false
	m.locked(func() {
		m.status.Failures++
		m.status.LastError = verb + " leases: " + err.Error()
		first = m.outage.add(verb, err)
	})
	if logger := klog.FromContext(ctx); first {
		logger.Error(err, "Request for Leases failed, trying again", "verb", verb)
	} else {
		logger.V(2).Info("Request for Leases failed, trying again", "verb", verb, "err", err)
	}
}

// reportStep logs the end of an outage.
func (m *Member) reportStep(ctx context.Context) {
	failures := 0
	if m.locked(func() { failures = m.outage.step() }); failures > 0 {
		klog.FromContext(ctx).Info("Requests for Leases succeed again", "failures", failures)
	}
}
