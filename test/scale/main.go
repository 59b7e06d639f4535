// Scale plans an informer of ten million objects: how many replicas it takes, what each of them
// and the API server pay, and what moves when a replica comes or goes. It measures what objects
// and events cost at sizes that fit on one machine, and extrapolates:
//
//	cd test && go run ./scale -measure               # some minutes; writes scale/measured.json
//	cd test && go run ./scale -docs ../docs/results          # writes scale.md and its plots
//
// Data flow:
//
//	server and informer, in processes of their own ─► measured.json ─► model ─► page, plots
//	                                 members that come and go ─► moves ─┘
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
)

// measuredFile is where measurements are kept, from the folder of the module.
const measuredFile = "scale/measured.json"

//go:embed measured.json
var measuredJSON []byte

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func run() error {
	if do, ok := role(); ok {
		return do()
	}
	toMeasure := flag.Bool("measure", false, "measure, and write "+measuredFile)
	docs := flag.String("docs", "", "write the page and its plots into `folder`")
	flag.Parse()
	var m measured
	if err := json.Unmarshal(measuredJSON, &m); err != nil {
		return fmt.Errorf("%s: %w", measuredFile, err)
	}
	if *toMeasure {
		var err error
		if m, err = measureAll(os.Stdout); err != nil {
			return err
		}
		data, err := json.MarshalIndent(m, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(measuredFile, append(data, '\n'), 0o644); err != nil {
			return err
		}
	}
	if *docs != "" {
		return writePage(*docs, m)
	}
	return nil
}
