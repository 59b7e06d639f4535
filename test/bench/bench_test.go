package main

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv(clientVariable) != "" {
		beClient()
	}
	code := m.Run()
	stopServer()
	os.Exit(code)
}

// The workloads as benchmarks, for profiles and for benchstat.
func BenchmarkTheirs(b *testing.B) {
	eachWorkload(b, func(w workload) func(*testing.B) { return w.theirs })
}

func BenchmarkOurs(b *testing.B) {
	eachWorkload(b, func(w workload) func(*testing.B) { return w.ours })
}

func eachWorkload(b *testing.B, side func(workload) func(*testing.B)) {
	for _, w := range workloads(full) {
		b.Run(w.name, side(w))
	}
}
