package cache

import (
	"testing"
	"time"
)

func TestPlanResync(t *testing.T) {
	const s, m, h = time.Second, time.Minute, time.Hour
	for _, c := range []struct {
		name                string
		desired, check      time.Duration
		started             bool
		wantPeriod, wantChk time.Duration
		warned              bool
	}{
		{"none asked for", 0, m, false, 0, m, false},
		{"none asked for, informer without", 0, 0, true, 0, 0, false},
		{"informer without resyncs", m, 0, false, 0, 0, true},
		{"too small for anybody", 10 * time.Millisecond, s, false, s, s, true},
		{"too small for anybody, informer as small", 10 * time.Millisecond, 10 * time.Millisecond, false, s, 10 * time.Millisecond, true},
		{"smaller than the informer's, before the start", 5 * s, m, false, 5 * s, 5 * s, false},
		{"too small, before the start", time.Millisecond, m, false, s, s, true},
		{"smaller than the informer's, after the start", 5 * s, m, true, m, m, true},
		{"as the informer's", m, m, true, m, m, false},
		{"larger", h, m, true, h, m, false},
		{"negative", -s, m, false, m, m, true},
	} {
		got := planResync(c.desired, c.check, c.started)
		if got.period != c.wantPeriod || got.check != c.wantChk || (got.warning != "") != c.warned {
			t.Errorf("%s: planResync(%v, %v, %t) = %+v", c.name, c.desired, c.check, c.started, got)
		}
	}
}

// Handlers hear of what a relist found as it was, but for those that an informer
// with resyncs leaves out.
func TestPlanUnchanged(t *testing.T) {
	for _, c := range []struct {
		desired, check time.Duration
		want           bool
	}{
		{0, 0, true},
		{time.Minute, 0, true},
		{0, time.Minute, false},
		{time.Minute, time.Minute, true},
	} {
		if got := planResync(c.desired, c.check, true).unchanged(); got != c.want {
			t.Errorf("planResync(%v, %v).unchanged() = %t", c.desired, c.check, got)
		}
	}
}

// Each handler that is added before the start lowers the check period.
func TestPlanResyncLowersTheCheckPeriod(t *testing.T) {
	check := 12 * time.Hour
	for _, step := range []struct{ desired, want time.Duration }{
		{time.Minute, time.Minute},
		{time.Minute + 10*time.Second, time.Minute},
		{55 * time.Second, 55 * time.Second},
		{5 * time.Second, 5 * time.Second},
	} {
		plan := planResync(step.desired, check, false)
		if check = plan.check; check != step.want || plan.period != step.desired {
			t.Errorf("after a handler of %v: %+v, want a check period of %v", step.desired, plan, step.want)
		}
	}
}
