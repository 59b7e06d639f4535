package conformance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// testCase shows that a statement, or one side of it, holds.
type testCase struct {
	statement string
	title     string
	test      func(*T)
	// outside says that it can't run in a bubble of testing/synctest.
	outside bool
}

// T is a case at work. It fails through the embedded TB.
type T struct {
	testing.TB
	impl Implementation
}

// cases are all cases, in the order of the statements.
var cases = slices.Concat(
	listCases, watchCases, watchListCases, storeCases, processingCases, sharedCases, factoryCases,
)

// name returns the name of the case's subtest.
func (c testCase) name() string { return c.statement + " " + c.title }

// of returns what a map of Skip or Defects says about the case.
func (c testCase) of(reasons map[string]string) string {
	family := strings.TrimRight(c.statement, "0123456789")
	return cmp.Or(reasons[c.name()], reasons[c.statement], reasons[family])
}

// Run runs every case as a subtest. It changes what is global in apimachinery
// and klog, and puts it back: it can't run beside other tests.
func Run(t *testing.T, implementation Implementation) {
	for _, reasons := range []map[string]string{implementation.Skip, implementation.Defects} {
		for key := range reasons {
			named := func(c testCase) bool { return c.of(map[string]string{key: key}) != "" }
			if !slices.ContainsFunc(cases, named) {
				t.Errorf("%q is in Skip or Defects, and names no case", key)
			}
		}
	}
	for _, c := range cases {
		t.Run(c.name(), func(t *testing.T) { c.run(t, implementation) })
	}
}

func (c testCase) run(t *testing.T, implementation Implementation) {
	if reason := c.of(implementation.Skip); reason != "" {
		t.Skip(reason)
	}
	test := func(t *testing.T) { c.test(&T{TB: t, impl: implementation}) }
	if defect := c.of(implementation.Defects); defect != "" {
		test = func(t *testing.T) { c.expectFailure(t, implementation, defect) }
	}
	if c.outside {
		test(t)
		return
	}
	synctest.Test(t, test)
}

// expectFailure runs a case that is known to fail.
func (c testCase) expectFailure(t *testing.T, implementation Implementation, defect string) {
	attempt := &attempt{TB: t}
	attempt.run(func() { c.test(&T{TB: attempt, impl: implementation}) })
	if len(attempt.failures) == 0 {
		t.Errorf("the case passes: the implementation no longer %s", defect)
		return
	}
	t.Logf("%s: %s", defect, strings.Join(attempt.failures, "\n"))
}

// attempt is a TB that keeps its failures to itself.
type attempt struct {
	testing.TB
	failures []string
}

// over is the value with which Fatal panics.
type over struct{}

func (a *attempt) run(test func()) {
	defer func() {
		if r := recover(); r != nil && r != (over{}) {
			a.Errorf("panic: %v", r)
		}
	}()
	test()
}

func (a *attempt) Error(args ...any) { a.failures = append(a.failures, fmt.Sprintln(args...)) }
func (a *attempt) Errorf(format string, args ...any) {
	a.failures = append(a.failures, fmt.Sprintf(format, args...))
}
func (a *attempt) Fatal(args ...any)                 { a.Error(args...); panic(over{}) }
func (a *attempt) Fatalf(format string, args ...any) { a.Errorf(format, args...); panic(over{}) }
func (a *attempt) Failed() bool                      { return len(a.failures) > 0 }
