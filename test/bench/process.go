package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// roles are the functions that this program runs instead of its command line, if it was started by itself
// to measure in a process of its own. Each does a job, and writes its result as JSON.
var roles = map[string]func(job []byte, w io.Writer) error{
	"client":      roleOf(client.do),
	"ingest":      roleOf(ingester.do),
	"feed":        roleOf(feed.do),
	"start":       roleOf(starter.do),
	"collections": roleOf(collections.do),
}

const (
	roleVariable      = "INFORMER_GEN_BENCH_ROLE"
	jobVariable       = "INFORMER_GEN_BENCH_JOB"
	watchListVariable = "KUBE_FEATURE_WatchListClient"
)

// roleOf makes a function a role, whose receiver is the job.
func roleOf[J any](do func(J, io.Writer) error) func([]byte, io.Writer) error {
	return func(text []byte, w io.Writer) error {
		var job J
		if err := json.Unmarshal(text, &job); err != nil {
			return err
		}
		return do(job, w)
	}
}

// role returns the function of this process's role, if it has one.
func role() (do func() error, ok bool) {
	r, ok := roles[os.Getenv(roleVariable)]
	return func() error { return r([]byte(os.Getenv(jobVariable)), os.Stdout) }, ok
}

// process returns this program with a role, not yet started.
func process(role string, job any) (*exec.Cmd, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, jobVariable+"="+string(text))
	return cmd, nil
}

// resultOf runs a process to its end, and reads what it writes.
func resultOf(cmd *exec.Cmd, into any) error {
	var failure strings.Builder
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, failure.String())
	}
	return json.Unmarshal(out, into)
}

// serve starts a process that serves until its standard input ends, and reads
// what it writes first: how it is reached.
func serve(cmd *exec.Cmd, connection any) (stop func(), err error) {
	cmd.Stderr = os.Stderr
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return nil, fmt.Errorf("starting the server: %w", err)
	}
	stop = func() {
		_ = in.Close() // ends it
		_ = cmd.Wait()
	}
	if err := json.NewDecoder(out).Decode(connection); err != nil {
		stop()
		return nil, fmt.Errorf("server: %w", err)
	}
	return stop, nil
}
