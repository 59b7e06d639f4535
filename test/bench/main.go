// Bench measures this runtime and client-go's side by side, in one process and
// on the same objects, and says where the goals are met:
//
//	cd test && go run ./bench                 # everything, in half an hour
//	cd test && go run ./bench -run fanout     # what matches, without writing
//	cd test && go run ./bench -quick          # does it work?
//
// What matches ^ingest takes objects in over HTTP, in processes of their own. One mode and size takes a
// minute or less in one round:
//
//	cd test && go run ./bench -rounds 1 -run ingest/replicas/list/json -pods 20000
//	cd test && go run ./bench -run ^ingest -docs ../docs/results/bench   # writes that page alone, and the figures that README and guide have of it
//
// What matches ^start starts informers of many resources together, in such processes too.
//
// Rounds of theirs and ours alternate, and the table has the medians. Workloads
// are plain benchmarks, so that they run under go test too, for profiles and for
// benchstat (make bench-compare):
//
//	cd test && go test -run '^$' -bench 'Ours/fanout/handlers=10$' -cpuprofile cpu.out ./bench
//
// Data flow of a run:
//
//	workload ─► rounds of testing.Benchmark ─► result per unit ─► table, JSON, plots
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"testing"
)

func main() {
	do, ok := role()
	if !ok {
		do = command
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command does what the command line says.
func command() error {
	testing.Init()
	var (
		match   = flag.String("run", "", "measure only workloads whose name matches `regexp`")
		rounds  = flag.Int("rounds", 0, "measure each workload `n` times")
		isQuick = flag.Bool("quick", false, "small sizes and one round: shows that everything works, and no more")
		pods    = flag.Int("pods", 0, "take in the pods of clusters of `n` only")
		docs    = flag.String("docs", "", "write a page with the table and the plots into `folder`")
		toJSON  = flag.String("json", "", "write results to `file`")
	)
	flag.Parse()
	s := full
	if *isQuick {
		s = quick
	}
	s.exactly = *rounds
	if *pods > 0 {
		s.pods, s.podsPlotted = *pods, nil
	}
	defer stopServer()
	return bench(os.Stdout, s, *match, *docs, *toJSON)
}

// bench measures what matches, and writes a row of the table for each result,
// and then the documents that are wanted.
func bench(w io.Writer, s scale, match, docs, toJSON string) error {
	results, err := measureAll(w, s, match)
	if err != nil {
		return err
	}
	if docs != "" {
		err = writeDocs(docs, s, results)
	}
	if toJSON != "" && err == nil {
		err = writeJSON(toJSON, results)
	}
	return err
}

func measureAll(w io.Writer, s scale, match string) ([]result, error) {
	pattern, err := regexp.Compile(match)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	var all []result
	writeHead(w)
	for _, work := range workloads(s) {
		if !pattern.MatchString(work.name) {
			continue
		}
		results, err := run(work)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			writeRow(w, r)
		}
		all = append(all, results...)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("-run: no workload matches %q", match)
	}
	return all, nil
}
