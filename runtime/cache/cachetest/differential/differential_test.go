package differential_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"testing"
	"time"

	"k8s.io/klog/v2"
)

var (
	firstSeed = flag.Uint64("seed", 0, "the first seed")
	runs      = flag.Int("runs", 200, "how many seeds to play")
	duration  = flag.Duration("for", 0, "play seeds for this long instead")
)

func TestMain(m *testing.M) {
	klog.SetLogger(klog.Logger{}) // which says nothing
	m.Run()
}

// seedsThatFailed are of scripts that found something.
var seedsThatFailed = []uint64{22778, 5064360, 5078848, 20281128411}

// TestScripts plays random scripts.
func TestScripts(t *testing.T) {
	began := time.Now()
	for _, seed := range seedsThatFailed {
		t.Run(fmt.Sprint("failed once, seed ", seed), func(t *testing.T) { test(t, newScript(choicesOf(seed))) })
	}
	for seed := *firstSeed; ; seed++ {
		if *duration > 0 && time.Since(began) > *duration || *duration == 0 && seed >= *firstSeed+uint64(*runs) {
			return
		}
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			test(t, newScript(choicesOf(seed)))
			if t.Failed() {
				t.Logf("repeat it with -run TestScripts -seed %d -runs 1", seed)
			}
		})
	}
}

// FuzzScript lets the fuzzer write scripts.
func FuzzScript(f *testing.F) {
	for seed := range uint64(10) {
		f.Add([]byte(choicesOf(seed)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := newScript(data[:min(len(data), 500)])
		theirs := play(t, s, clientGo)
		for _, i := range ours {
			// The fuzzer shortens scripts by itself.
			if wrong := faulty(s, theirs, play(t, s, i)); wrong != "" {
				t.Errorf("%s with %v\n%s", i.name, s, wrong)
			}
		}
	})
}

// rare are seeds of scripts that need what few scripts do.
var rare = []uint64{485, 545, 770000181}

// some returns the first seeds.
func some() []uint64 {
	var all []uint64
	for seed := range uint64(100) {
		all = append(all, seed)
	}
	return all
}

// unneeded are differences from client-go of newer minors only.
var unneeded []string

// TestMeant plays scripts until each difference that is meant was needed: one that
// never is has to go from the list.
func TestMeant(t *testing.T) {
	missing := map[string]bool{}
	for _, m := range meant {
		missing[m.name] = true
	}
	for _, name := range unneeded {
		delete(missing, name)
	}
	for _, seed := range append(rare, some()...) {
		s := newScript(choicesOf(seed))
		if len(missing) == 0 {
			return
		}
		theirs := play(t, s, clientGo)
		for _, i := range ours {
			ours := play(t, s, i)
			for name := range missing {
				if differs(s, theirs, ours, name) != "" {
					delete(missing, name)
				}
			}
		}
	}
	for name := range missing {
		t.Errorf("no script differs by %q", name)
	}
}

// test plays a script over all implementations. If something is wrong, it reports the
// shortest script that it finds for which something is.
func test(t *testing.T, s script) {
	theirs := play(t, s, clientGo)
	for _, i := range ours {
		wrong := faulty(s, theirs, play(t, s, i))
		if wrong == "" {
			continue
		}
		again := func(s script) string { return faulty(s, play(t, s, clientGo), play(t, s, i)) }
		short := shorten(s, func(s script) bool { return again(s) != "" })
		t.Errorf("%s with %v\n%s\nin short, with %v\n%s", i.name, s, wrong, short, again(short))
	}
}

// faulty returns what is wrong with a transcript, "" for nothing.
func faulty(s script, theirs, ours transcript) string {
	return cmp.Or(differs(s, theirs, ours, ""), ours.untrue())
}

// differs returns how a transcript differs from client-go's, but for what is meant.
// Of that, it counts what is called but.
func differs(s script, theirs, ours transcript, but string) string {
	theirs, ours = theirs.clone(), ours.clone()
	for _, m := range meant {
		if m.name != but {
			m.level(s, theirs, ours)
		}
	}
	return compare(theirs, ours)
}

// shorten leaves out of a script what it fails without as well.
func shorten(s script, fails func(script) bool) script {
	for again := true; again; {
		again = false
		for _, shorter := range parts(s) {
			if fails(shorter) {
				s, again = shorter, true
				break
			}
		}
	}
	return s
}

// parts are scripts that lack something of s each.
func parts(s script) []script {
	var all []script
	without := func(steps []step) {
		part := s
		part.steps = steps
		all = append(all, part)
	}
	for n := len(s.steps) / 2; n > 0; n /= 2 {
		for i := 0; i+n <= len(s.steps); i += n {
			without(slices.Delete(slices.Clone(s.steps), i, i+n))
		}
	}
	for i, step := range s.steps {
		change := func(do func()) {
			do()
			steps := slices.Clone(s.steps)
			steps[i] = step
			without(steps)
			step = s.steps[i]
		}
		for j := range step.changes {
			change(func() { step.changes = slices.Delete(slices.Clone(step.changes), j, j+1) })
		}
		for j := range step.failures {
			change(func() { step.failures = slices.Delete(slices.Clone(step.failures), j, j+1) })
		}
	}
	return all
}
