package cache

import (
	"strconv"
	"testing"
)

func TestVersionSample(t *testing.T) {
	var many []string
	for i := range 100 {
		many = append(many, strconv.Itoa(i+1))
	}
	for _, test := range []struct {
		name     string
		versions []string
		list     string
		want     sameness
	}{
		{"those of etcd", []string{"7", "12", "3"}, "12", sameVersion},
		{"of many, the first ones count", many, "100", sameVersion},
		{"one object decides nothing", []string{"7"}, "12", sameContent},
		{"nor does none", nil, "12", sameContent},
		{"one version for all", []string{"1", "1"}, "1", sameContent},
		{"each object is counted by itself", []string{"3", "8", "3"}, "9", sameContent},
		{"an object is later than its list", []string{"3", "8"}, "7", sameContent},
		{"the list has no version", []string{"3", "8"}, "", sameContent},
		{"an object has none", []string{"3", ""}, "9", sameContent},
		{"they are no numbers", []string{"a", "b"}, "c", sameContent},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s versionSample
			for _, version := range test.versions {
				s.add(newThing("ns", "a", version))
			}
			if got := s.sameness(test.list); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
