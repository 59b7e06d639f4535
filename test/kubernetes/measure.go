package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"
)

// result is the result of one run of a build.
type result struct {
	milestones []milestone
	figures    []figure
}

// figure is a number that was measured of a program.
type figure struct {
	program, name, unit string
	value               float64
}

const (
	// startWindow is the time after a start whose CPU is measured.
	startWindow = 15 * time.Second
	// idleWindow is the time in which nothing happens but heartbeats.
	idleWindow = 30 * time.Second
	// quietWindow is the time after an outage in which log lines count as its own.
	quietWindow = 10 * time.Second
)

// outages say how long the API server is away, and how often in a row.
var outages = []struct {
	name   string
	length time.Duration
	times  int
	size   int32 // what Deployments are scaled to afterwards
}{
	{"short", 4 * time.Second, 1, 8},
	{"long", 12 * time.Second, 1, 12},
	{"threefold", 2 * time.Second, 3, 8},
}

// experiment is one run of a build.
type experiment struct {
	*script
	result
	build    string
	subjects []*subject
}

// measure starts a cluster, puts a build through the script, and ends all that
// it has started.
func measure(ctx context.Context, space *workspace, build string, objects int, dir string) (*result, error) {
	c, err := startCluster(ctx, space, dir)
	if err != nil {
		return nil, err
	}
	defer c.stop()
	playing, cancel := context.WithCancel(ctx)
	k := startKubelet(playing, c.client)
	defer k.wait()
	defer cancel()

	e := &experiment{script: &script{cluster: c, milestones: &milestones{}, kubelet: k}, build: build}
	defer func() { e.stopSubjects() }()
	if err := e.prepare(ctx, objects); err != nil {
		return nil, fmt.Errorf("cluster: filling it: %w", err)
	}
	if err := e.run(ctx); err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	e.result.milestones = e.script.milestones.list
	return &e.result, nil
}

func (e *experiment) run(ctx context.Context) error {
	for _, part := range []func(context.Context) error{
		e.start, e.deployments, e.kinds, e.scheduling, e.deletions, e.loss, e.outages, e.idle,
		e.ending, e.account, e.restart,
	} {
		if err := part(ctx); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
	}
	return nil
}

// startSubjects starts both programs and waits until they say that they are
// healthy.
func (e *experiment) startSubjects(ctx context.Context, occasion string) error {
	e.from()
	e.subjects = nil
	for _, name := range []string{controllerManager, scheduler} {
		s, err := startSubject(e.cluster, e.build, name)
		if err != nil {
			return err
		}
		e.subjects = append(e.subjects, s)
	}
	for _, s := range e.subjects {
		if err := s.waitHealthy(ctx); err != nil {
			return err
		}
		e.await(ctx, occasion+s.name+" is healthy", func(ctx context.Context) error { return getOK(ctx, s.client, s.url("/healthz")) })
	}
	return nil
}

func (e *experiment) stopSubjects() {
	for _, s := range e.subjects {
		s.stop()
	}
}

// start is the first start, with an API server that has many objects.
func (e *experiment) start(ctx context.Context) error {
	if err := e.startSubjects(ctx, ""); err != nil {
		return err
	}
	began := e.since
	if err := e.beginning(ctx); err != nil {
		return err
	}
	if err := sleep(ctx, time.Until(began.Add(startWindow))); err != nil {
		return err
	}
	return e.noteCPU(fmt.Sprintf("CPU, start, first %v", startWindow), nil)
}

// outages kills the API server, and measures the CPU and counts the log lines
// until things are quiet again. The node that is lost is lost before.
func (e *experiment) outages(ctx context.Context) error {
	used, err := e.cpu()
	if err != nil {
		return err
	}
	for _, outage := range outages {
		before, err := e.logLines()
		if err != nil {
			return err
		}
		for range outage.times {
			if err := e.outage(ctx, outage.length); err != nil {
				return err
			}
		}
		back := time.Now()
		if err := e.after(ctx, outage.name, outage.size); err != nil {
			return err
		}
		if err := sleep(ctx, time.Until(back.Add(quietWindow))); err != nil {
			return err
		}
		after, err := e.logLines()
		if err != nil {
			return err
		}
		name := fmt.Sprintf("log lines, %s outage (%d × %v)", outage.name, outage.times, outage.length)
		for i, s := range e.subjects {
			e.note(s, name, "", float64(after[i].all-before[i].all))
			e.note(s, name+", of informers", "", float64(after[i].informers-before[i].informers))
		}
	}
	return e.noteCPU("CPU, outages and after", used)
}

// idle measures what is used up when nothing happens.
func (e *experiment) idle(ctx context.Context) error {
	before, err := e.cpu()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := sleep(ctx, idleWindow); err != nil {
		return err
	}
	if err := e.noteCPU(fmt.Sprintf("CPU, idle, %v", idleWindow), before); err != nil {
		return err
	}
	requests, err := readAudit(e.path("audit.log"))
	if err != nil {
		return err
	}
	for _, s := range e.subjects {
		count := 0
		for _, r := range requests {
			if r.program() == s.name && r.Received.After(began) {
				count++
			}
		}
		e.note(s, fmt.Sprintf("requests, idle, %v", idleWindow), "", float64(count))
	}
	return nil
}

// account measures what the programs have used in all, before they are started
// again.
func (e *experiment) account(ctx context.Context) error {
	if err := e.noteCPU("CPU, total", nil); err != nil {
		return err
	}
	requests, err := readAudit(e.path("audit.log"))
	if err != nil {
		return err
	}
	for _, s := range e.subjects {
		if err := e.noteMemory(s); err != nil {
			return err
		}
		if err := e.noteGoroutines(ctx, s); err != nil {
			return err
		}
		e.noteRequests(s, requests)
		unanswered, err := s.metric(ctx, "rest_client_requests_total", `code="<error>"`)
		if err != nil {
			return err
		}
		e.note(s, "requests without an answer", "", unanswered)
		lines, err := s.logLines()
		if err != nil {
			return err
		}
		e.note(s, "log lines", "", float64(lines.all))
		e.note(s, "log lines, of informers", "", float64(lines.informers))
	}
	return nil
}

func (e *experiment) noteMemory(s *subject) error {
	now, peak, err := s.memory()
	if err != nil {
		return err
	}
	binary, err := os.Stat(e.space.binary(e.build, s.name))
	if err != nil {
		return err
	}
	e.note(s, "memory, resident", "MB", float64(now)/1e6)
	e.note(s, "memory, resident, peak", "MB", float64(peak)/1e6)
	e.note(s, "size of the binary", "MB", float64(binary.Size())/1e6)
	return nil
}

// runtimePath is in the stack of a goroutine of this module's runtime.
const runtimePath = "github.com/informer-gen/informer-gen/runtime"

// noteGoroutines counts them, and checks that each build runs the informers
// that it is there for.
func (e *experiment) noteGoroutines(ctx context.Context, s *subject) error {
	total, with, err := s.goroutines(ctx, runtimePath, "k8s.io/client-go/tools/cache.")
	if err != nil {
		return err
	}
	if (e.build == ours) != (with[0] > 0) {
		return fmt.Errorf("%s: %d goroutines of %s: the build is not what it should be", s.name, with[0], runtimePath)
	}
	e.note(s, "goroutines", "", float64(total))
	e.note(s, "goroutines in this runtime", "", float64(with[0]))
	e.note(s, "goroutines in client-go's tools/cache", "", float64(with[1]))
	return nil
}

func (e *experiment) noteRequests(s *subject, requests []request) {
	counts, total := map[string]int{}, 0
	for _, r := range requests {
		if r.program() == s.name {
			counts[r.kind()]++
			total++
		}
	}
	e.note(s, "requests", "", float64(total))
	for _, kind := range []string{"list", "watch-list", "watch", "get", "create", "update", "patch", "delete", "deletecollection"} {
		e.note(s, "requests, "+kind, "", float64(counts[kind]))
	}
}

// restart starts both programs again, beside the cluster as it is now.
func (e *experiment) restart(ctx context.Context) error {
	e.stopSubjects()
	if err := e.startSubjects(ctx, "restart: "); err != nil {
		return err
	}
	if err := e.createWeb(ctx, "after-restart", 5); err != nil {
		return err
	}
	e.await(ctx, "restart: a new Deployment is available", e.available("after-restart"))
	e.await(ctx, "restart: EndpointSlices have the ready pods", e.slicesRight)
	if err := sleep(ctx, time.Until(e.since.Add(startWindow))); err != nil {
		return err
	}
	if err := e.noteCPU(fmt.Sprintf("CPU, restart, first %v", startWindow), nil); err != nil {
		return err
	}
	for _, s := range e.subjects {
		_, peak, err := s.memory()
		if err != nil {
			return err
		}
		e.note(s, "memory, restart, resident, peak", "MB", float64(peak)/1e6)
	}
	return nil
}

func (e *experiment) note(s *subject, name, unit string, value float64) {
	e.figures = append(e.figures, figure{program: s.name, name: name, unit: unit, value: value})
}

// noteCPU notes the CPU time of each program since before, or since its start.
func (e *experiment) noteCPU(name string, before []time.Duration) error {
	now, err := e.cpu()
	if err != nil {
		return err
	}
	var shown []string
	for i, s := range e.subjects {
		used := now[i]
		if before != nil {
			used -= before[i]
		}
		e.note(s, name, "s", used.Seconds())
		shown = append(shown, fmt.Sprintf("%s %.2fs", s.name, used.Seconds()))
	}
	say("%s: %s", name, strings.Join(shown, ", "))
	return nil
}

func (e *experiment) cpu() ([]time.Duration, error) {
	var all []time.Duration
	for _, s := range e.subjects {
		used, err := s.cpu()
		if err != nil {
			return nil, err
		}
		all = append(all, used)
	}
	return all, nil
}

func (e *experiment) logLines() ([]lines, error) {
	var all []lines
	for _, s := range e.subjects {
		written, err := s.logLines()
		if err != nil {
			return nil, err
		}
		all = append(all, written)
	}
	return all, nil
}
