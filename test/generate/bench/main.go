// Command bench measures informer-gen beside code-generator's lister-gen and
// informer-gen, which together do the same, and prints a table:
//
//	cd test && go run ./generate/bench                # everything, in some minutes
//	cd test && go run ./generate/bench -run k8s.io    # projects whose name matches
//	cd test && go run ./generate/bench -docs ../docs/results/bench   # writes generate.md there
//
// Each is measured as a process, with the processes that it starts: the time from its start to its end, the
// time of the cores, and the peak of resident memory. The two take turns; the table has medians. Data flow
// of a row:
//
//	project in a module of its own ─► runs of theirs and ours ─► medians ─► row
//
// Every project is generated from scratch; some also with a cold build cache and
// over what is there already. A cold build cache is an empty GOCACHE. Neither
// tool compiles anything, but the go command, which is asked where packages of
// other modules are, then rereads what it knows of modules by heart
// otherwise. The files themselves are in the system's page cache in any case.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"text/tabwriter"
	"time"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

func main() {
	match := flag.String("run", "", "measure only projects whose name matches `regexp`")
	rounds := flag.Int("rounds", 5, "run each `n` times, and take the median")
	types := flag.Int("types", 10000, "generate for 10, 100, … API types, up to `n`")
	theirTypes := flag.Int("upstream-types", 1000, "and with code-generator up to `n`")
	docs := flag.String("docs", "", "write a page with the table into `folder`")
	flag.Parse()
	measured, err := bench(context.Background(), *rounds, *match, projects(*types, *theirTypes))
	if err == nil && *docs != "" {
		err = writePage(*docs, measured)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, rounds int, match string, projects []project) (measured []measurement, err error) {
	matches, err := regexp.Compile(match)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench-generate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b := benchmark{dir: dir, rounds: rounds}
	if b.checkout, err = scratch.Dir(ctx, scratch.Runtime); err != nil {
		return nil, err
	}
	if err := scratch.Build(ctx, filepath.Join(dir, "theirs"), scratch.UpstreamListerGen, scratch.UpstreamInformerGen); err != nil {
		return nil, err
	}
	if err := scratch.Build(ctx, filepath.Join(dir, "ours"), scratch.InformerGen); err != nil {
		return nil, err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "medians of %d\tlister-gen, informer-gen\there\tratio\tgoal\t\n", rounds)
	for _, p := range projects {
		if !matches.MatchString(p.name) {
			continue
		}
		of, err := b.project(ctx, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.name, err)
		}
		for _, m := range of {
			fmt.Fprintln(table, m.row())
		}
		measured = append(measured, of...)
	}
	fmt.Println(machine())
	return measured, table.Flush()
}

// machine says what the numbers are from.
func machine() string {
	return fmt.Sprintf("%s, %s/%s, %d cores, %s", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), time.Now().Format(time.DateOnly))
}
