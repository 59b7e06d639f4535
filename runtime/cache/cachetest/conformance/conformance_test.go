package conformance_test

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest/conformance"
)

var implementations = []conformance.Implementation{typed, layer, clientGo}

func TestConformance(t *testing.T) {
	for _, implementation := range implementations {
		t.Run(implementation.Name, func(t *testing.T) {
			if implementation.Name != clientGo.Name {
				enableWatchLists(t)
			}
			conformance.Run(t, implementation)
		})
	}
}

var update = flag.Bool("update", false, "write STATEMENTS.md")

const preamble = `# Statements

The guarantees of informers, and the results of the three implementations that the
suite tests: ` + "`typed`" + ` is runtime/cache over a typed source, ` + "`clientgo-cache`" + ` is
runtime/clientgo/cache, and ` + "`client-go`" + ` is k8s.io/client-go/tools/cache v0.37.2.
A case that an implementation is known to fail has to fail, so that a fix is
noticed. This file is written by ` + "`go test -run TestStatements -update`" + `.
`

func TestStatements(t *testing.T) {
	const file = "STATEMENTS.md"
	want := preamble + conformance.Table(implementations...)
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s is not up to date; go test -run TestStatements -update writes it:\n%s", file, diff)
	}
}
