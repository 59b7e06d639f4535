package conformance

import (
	"slices"
	"strings"
	"testing"
)

func TestEveryStatementHasACase(t *testing.T) {
	statements := map[string]bool{}
	for _, f := range families {
		for _, s := range f.statements {
			if statements[s.id] {
				t.Errorf("%s stands twice", s.id)
			}
			statements[s.id] = true
			if !slices.ContainsFunc(cases, func(c testCase) bool { return c.statement == s.id }) {
				t.Errorf("%s has no case: %s", s.id, s.title)
			}
		}
	}
	if want := 10 + 9 + 10 + 10 + 6 + 15 + 3; len(statements) != want {
		t.Errorf("%d statements, want %d", len(statements), want)
	}
	names := map[string]bool{}
	for _, c := range cases {
		if !statements[c.statement] {
			t.Errorf("%s: there is no such statement", c.name())
		}
		if names[c.name()] {
			t.Errorf("%s: stands twice", c.name())
		}
		if strings.Contains(c.name(), "/") {
			t.Errorf("%s: a slash is two names to go test", c.name())
		}
		names[c.name()] = true
	}
}

func TestReasons(t *testing.T) {
	c := testCase{statement: "WL4", title: "one"}
	for _, test := range []struct {
		key  string
		want string
	}{{"WL4 one", "why"}, {"WL4", "why"}, {"WL", "why"}, {"W", ""}, {"WL4 two", ""}, {"WL5", ""}} {
		if got := c.of(map[string]string{test.key: "why"}); got != test.want {
			t.Errorf("%s: got %q", test.key, got)
		}
	}
}
