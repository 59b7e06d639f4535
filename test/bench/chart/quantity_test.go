package chart

import "testing"

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		v          float64
		unit, want string
	}{
		{0, Nanoseconds, "0 ns"}, {1.234, Nanoseconds, "1.23 ns"}, {12.34, Nanoseconds, "12.3 ns"}, {999, Nanoseconds, "999 ns"},
		{3_920_000, Nanoseconds, "3.92 ms"}, {2e9, "p99-ns", "2 s"},
		{1, "allocs/op", "1"}, {9_999, "writes/s", "9999"}, {67_890, "writes/s", "67.9k"}, {1e6, "", "1M"}, {-12_345, "", "-12.3k"},
	} {
		if got := Quantity(c.v, c.unit); got != c.want {
			t.Errorf("%v %s: got %s, want %s", c.v, c.unit, got, c.want)
		}
	}
}
