package differential_test

import "math/rand/v2"

// choices are the decisions of a script, read off bytes: random ones, and the
// fuzzer's.
type choices []byte

// choicesOf returns the choices of a seed.
func choicesOf(seed uint64) choices {
	rnd := rand.New(rand.NewPCG(seed, 0))
	data := make(choices, 60+rnd.IntN(200))
	for i := range data {
		data[i] = byte(rnd.Uint32())
	}
	return data
}

// of returns a number below n, and 0 after the end.
func (c *choices) of(n int) int {
	if len(*c) == 0 {
		return 0
	}
	b := (*c)[0]
	*c = (*c)[1:]
	return int(b) % n
}

// oneIn reports true about once in n times, and false after the end.
func (c *choices) oneIn(n int) bool { return c.of(n) == n-1 }

func pick[E any](c *choices, of []E) E { return of[c.of(len(of))] }
