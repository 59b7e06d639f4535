package cache

import (
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
)

// choices are the decisions of a sequence of actions, read off bytes: random ones
// in a test, and the fuzzer's.
type choices []byte

// of returns a number below n, up to 256, and 0 after the end.
func (c *choices) of(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

var seed = flag.Uint64("seed", 0, "the seed of the tests with random choices; 0 is any")

// everyChoice runs a test for some random choices.
func everyChoice(t *testing.T, runs, length int, test func(*testing.T, choices)) {
	t.Helper()
	dropErrors(t)
	seed := *seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	for run := range runs {
		rnd := rand.New(rand.NewPCG(seed, uint64(run)))
		data := make(choices, length)
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		test(t, data)
		if t.Failed() {
			t.Fatalf("run %d of seed %d: repeat it with -run '^%s$' -seed %d", run, seed, t.Name(), seed)
		}
	}
}

func fuzzChoices(f *testing.F, test func(*testing.T, choices)) {
	dropErrors(f)
	f.Add([]byte("\x00\x37\x02\x50\x00\x10\x20\x63\x3e"))
	// Longer sequences show no more.
	const longest = 1000
	f.Fuzz(func(t *testing.T, data []byte) { test(t, data[:min(len(data), longest)]) })
}

// dropErrors keeps errors that are handled by apimachinery out of the log, which is
// written slowly on purpose.
func dropErrors(t testing.TB) {
	handlers := utilruntime.ErrorHandlers
	utilruntime.ErrorHandlers = nil
	t.Cleanup(func() { utilruntime.ErrorHandlers = handlers })
}
