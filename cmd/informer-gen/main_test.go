package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
)

// TestMain makes the test binary the command that the scripts run.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"informer-gen": main})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			// The go command, which finds packages of other modules, needs its caches.
			for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPATH", "HOME"} {
				if value := os.Getenv(name); value != "" {
					env.Setenv(name, value)
				}
			}
			env.Setenv("GOFLAGS", "-mod=mod")
			env.Setenv("GOPROXY", "off")
			return nil
		},
	})
}

// exits runs a command that must end with the exit status given first.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	exit := (*exec.ExitError)(nil)
	if !errors.As(err, &exit) || strconv.Itoa(exit.ExitCode()) != args[0] {
		ts.Fatalf("got %v, want exit status %s", err, args[0])
	}
}

// Every flag is on the help page, and no group names one that is not there.
func TestHelpHasEveryFlag(t *testing.T) {
	t.Parallel()
	f, err := parse([]string{"./..."})
	if err != nil {
		t.Fatal(err)
	}
	page := help(f.set)
	grouped := map[string]bool{}
	for _, group := range groups {
		for _, name := range group.names {
			grouped[name] = true
			if f.set.Lookup(name) == nil {
				t.Errorf("group %s: no flag --%s", group.title, name)
			}
		}
	}
	f.set.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden {
			return // of earlier generators
		}
		if !grouped[flag.Name] || !strings.Contains(page, "--"+flag.Name) {
			t.Errorf("--%s is not on the help page", flag.Name)
		}
	})
}
