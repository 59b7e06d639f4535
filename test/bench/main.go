// Bench measures this runtime and client-go's side by side, in one process and
// on the same objects, and says where the goals are met:
//
//	cd test && go run ./bench                 # everything, in some ten minutes
//	cd test && go run ./bench -run fanout     # what matches, without writing
//	cd test && go run ./bench -quick          # does it work?
//
// Every round measures theirs, then ours, then the next round does; the table
// has the medians. The workloads are benchmarks of testing, one of each kind
// beside the other, and so they are benchmarks of go test as well, for profiles
// and for benchstat:
//
//	cd test && go test -run '^$' -bench 'Ours/fanout/handlers=10$' -cpuprofile cpu.out ./bench
//
// The way of an object through a run:
//
//	workload ─► rounds of testing.Benchmark ─► result per unit ─► table, JSON, plots
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"testing"
)

func main() {
	if os.Getenv(clientVariable) != "" {
		beClient()
	}
	testing.Init()
	var (
		match   = flag.String("run", "", "measure only workloads whose name matches `regexp`")
		rounds  = flag.Int("rounds", 0, "measure each workload `n` times, and take the median")
		isQuick = flag.Bool("quick", false, "small sizes and one round: shows that everything works, and no more")
		toJSON  = flag.String("json", "", "write results to `file`")
	)
	flag.Parse()
	s := full
	if *isQuick {
		s = quick
	}
	if *rounds > 0 {
		s.rounds = *rounds
	}
	err := bench(s, *match, *toJSON)
	stopServer()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(s scale, match, toJSON string) error {
	pattern, err := regexp.Compile(match)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	var all []result
	writeHead(os.Stdout)
	for _, w := range workloads(s) {
		if !pattern.MatchString(w.name) {
			continue
		}
		results, err := run(w)
		if err != nil {
			return err
		}
		for _, r := range results {
			writeRow(os.Stdout, r)
		}
		all = append(all, results...)
	}
	if len(all) == 0 {
		return errors.New("-run: no workload matches")
	}
	if toJSON != "" {
		return writeJSON(toJSON, all)
	}
	return nil
}
