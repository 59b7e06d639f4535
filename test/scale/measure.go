package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// measured is everything that the model extrapolates from, and what its predictions are
// compared with. Times are in nanoseconds, sizes in bytes.
type measured struct {
	Date string
	// Costs are the costs of an object, by class and then by format.
	Costs map[string]map[string]cost
	// Match is the cost for a server to decide whether a selector selects an object, by the number of the
	// selector's ranges.
	Match map[int]float64
	Runs  []trial
}

// cost is the cost of an object, or of an event.
type cost struct {
	// Size is its encoded size, and Encode the server's CPU for the encoding.
	Size, Encode float64
	// List, Event and Heap are of an object of the shard, ListDropped and EventDropped of one
	// that is of another shard and is dropped by the informer.
	List, Event, Heap, ListDropped, EventDropped float64
}

// trial is a run of an informer of one of Shards.
type trial struct {
	Population population
	Shards     int
	Filters    bool
	Usage      usage
}

const (
	inJSON     = runtime.ContentTypeJSON
	inProtobuf = runtime.ContentTypeProtobuf
	// few is a shard of almost no objects: the cost of a process for it is the cost of the dropped objects.
	few = 10_000
)

// sampleOf returns of how many objects the costs are, and how many watch events are sent.
func sampleOf(class string) int {
	if class == configMaps {
		return 20_000
	}
	return 5_000
}

// measureAll takes some minutes.
func measureAll(w io.Writer) (measured, error) {
	m := measured{Date: time.Now().Format(time.DateOnly), Costs: map[string]map[string]cost{}, Match: map[int]float64{}}
	for _, terms := range []int{1, 32} {
		m.Match[terms] = matching(terms)
	}
	for _, class := range []string{configMaps, replicaPods, distinctPods} {
		m.Costs[class] = map[string]cost{}
		for _, encoding := range []string{inJSON, inProtobuf} {
			p := population{class, sampleOf(class), encoding}
			c, err := costOf(p)
			if err != nil {
				return m, err
			}
			fmt.Fprintf(w, "%s in %s: %+v\n", class, p.Format(), c)
			m.Costs[class][p.Format()] = c
		}
	}
	for _, p := range []population{{configMaps, 100_000, inJSON}, {configMaps, 100_000, inProtobuf}, {replicaPods, 2 * sampleOf(replicaPods), inJSON}} {
		for _, n := range []int{1, 2, 4, 8} {
			for _, filters := range []bool{true, false} {
				if n == 1 && !filters {
					continue // there is nothing to filter
				}
				t := trial{Population: p, Shards: n, Filters: filters}
				var err error
				if t.Usage, err = t.run(); err != nil {
					return m, err
				}
				fmt.Fprintf(w, "%+v\n", t)
				m.Runs = append(m.Runs, t)
			}
		}
	}
	return m, nil
}

// costOf measures an informer of all objects, and one of almost none of them.
func costOf(p population) (c cost, err error) {
	all, err := median(trial{Population: p, Shards: 1})
	if err != nil {
		return c, err
	}
	none, err := median(trial{Population: p, Shards: few})
	if err != nil {
		return c, err
	}
	objects := make([]runtime.Object, 1000)
	for i := range objects {
		objects[i] = p.object(i)
	}
	list, err := p.list(objects)
	encode := cpuOf(20, func() { _, _ = p.list(objects) })
	sample := float64(p.Objects)
	per := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / sample }
	return cost{
		Size: float64(len(list)) / float64(len(objects)), Encode: encode / float64(len(objects)),
		List: per(all.List), Event: per(all.Event), Heap: all.Heap / sample, ListDropped: per(none.List), EventDropped: per(none.Event),
	}, err
}

// median runs a trial three times, and returns the one in the middle by its list.
func median(t trial) (usage, error) {
	var all []usage
	for range 3 {
		u, err := t.run()
		if err != nil {
			return u, err
		}
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b usage) int { return int(a.List - b.List) })
	return all[1], nil
}

// matching measures the selector of a server.
func matching(terms int) float64 {
	var ranges shard.Ranges
	for i := range terms {
		part, _ := shard.Of(2*i, 2*terms)
		ranges = ranges.Union(part)
	}
	matches, err := sharded(shard.UID.Selector(ranges))
	if err != nil {
		panic(err)
	}
	objects := make([]object, 1000)
	for i := range objects {
		objects[i] = configMap(i, "1")
	}
	return cpuOf(1000, func() {
		for _, o := range objects {
			matches(o)
		}
	}) / float64(len(objects))
}

// cpuOf returns the CPU of this process for a call, in nanoseconds.
func cpuOf(calls int, call func()) float64 {
	call()
	used := cpu()
	for range calls {
		call()
	}
	return float64((cpu() - used).Nanoseconds()) / float64(calls)
}

// run runs a server and an informer.
func (t trial) run() (u usage, err error) {
	ranges, err := shard.Of(0, t.Shards)
	if err != nil {
		return u, err
	}
	serving, err := process("server", server{t.Population, shard.UID.Selector(ranges), t.Filters, sampleOf(t.Population.Class)})
	if err != nil {
		return u, err
	}
	in, inErr := serving.StdinPipe()
	out, outErr := serving.StdoutPipe()
	if err := errors.Join(inErr, outErr, serving.Start()); err != nil {
		return u, err
	}
	defer func() {
		_ = in.Close() // ends it
		_ = serving.Wait()
	}()
	c := client{Population: t.Population, Ranges: ranges, Events: sampleOf(t.Population.Class)}
	if err := json.NewDecoder(out).Decode(&c.Host); err != nil {
		return u, fmt.Errorf("server: %w", err)
	}
	following, err := process("client", c)
	if err != nil {
		return u, err
	}
	result, err := following.Output()
	if err != nil {
		return u, fmt.Errorf("client of %+v: %w", t, err)
	}
	return u, json.Unmarshal(result, &u)
}

const (
	roleVariable = "INFORMER_GEN_SCALE_ROLE"
	jobVariable  = "INFORMER_GEN_SCALE_JOB"
)

// process returns this program with a role, not yet started.
func process(role string, job any) (*exec.Cmd, error) {
	text, err := json.Marshal(job)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVariable+"="+role, jobVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd, err
}

// role returns the function of this process, if it was started by process.
func role() (do func() error, ok bool) {
	job := []byte(os.Getenv(jobVariable))
	switch os.Getenv(roleVariable) {
	case "server":
		return func() error {
			var s server
			return errors.Join(json.Unmarshal(job, &s), s.do(os.Stdout))
		}, true
	case "client":
		return func() error {
			var c client
			return errors.Join(json.Unmarshal(job, &c), c.do(os.Stdout))
		}, true
	}
	return nil, false
}
