package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestComparison(t *testing.T) {
	of := func(cpu float64, late error) *result {
		return &result{
			milestones: []milestone{{name: "pods are bound", after: 2 * time.Second}, {name: "pods are gone", after: 3 * time.Second, err: late}},
			figures:    []figure{{scheduler, "CPU", "s", cpu}},
		}
	}
	c := comparison{stock: []*result{of(4, nil), of(2, nil)}, ours: []*result{of(1, nil), of(2, errors.New("there is one"))}}
	var page strings.Builder
	c.write(&page)
	for _, want := range []string{
		"4 of 4 with the stock build, 3 of 4 with ours, in all rounds (2)",
		"| pods are bound | 2.0 | 2.0 |",
		"| pods are gone | 3.0 | 3.0 (not reached 1×) |",
		"| CPU | 3.00 s | 1.50 s | 0.50 |",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("got no %q in\n%s", want, page.String())
		}
	}
	if !c.missed() {
		t.Error("missed: got false, want true")
	}
}
