package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"
	"golang.org/x/mod/modfile"
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
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "module": module, "recipe": recipe},
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

// module makes a module of the given path that has the checkout's informer-gen as
// a tool, and its dependencies, which are in the module cache.
func module(ts *testscript.TestScript, _ bool, args []string) {
	checkout, err := filepath.Abs("../..")
	ts.Check(err)
	content, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	ts.Check(err)
	mod, err := modfile.Parse("go.mod", content, nil)
	ts.Check(err)
	own := mod.Module.Mod.Path
	ts.Check(mod.AddModuleStmt(args[0]))
	ts.Check(mod.AddRequire(own, "v0.0.0"))
	ts.Check(mod.AddReplace(own, "", checkout, ""))
	ts.Check(mod.AddTool(own + "/cmd/informer-gen"))
	content, err = mod.Format()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("go.mod"), content, 0o666))
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs("go.sum"), sums, 0o666))
}

// recipe writes the code below a heading of docs/recipes.md to a file.
func recipe(ts *testscript.TestScript, _ bool, args []string) {
	text, err := os.ReadFile("../../docs/recipes.md")
	ts.Check(err)
	_, section, ok := strings.Cut(string(text), "\n## "+args[0]+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, block, found := strings.Cut(section, "\n```")
	_, code, _ := strings.Cut(block, "\n")
	code, _, closed := strings.Cut(code, "\n```")
	if !ok || !found || !closed {
		ts.Fatalf("docs/recipes.md: no code below the heading %q", args[0])
	}
	file := ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(filepath.Dir(file), 0o777))
	ts.Check(os.WriteFile(file, []byte(code+"\n"), 0o777))
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
