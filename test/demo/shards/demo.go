package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/test/apiserver"
)

// The errors of a machine that is too busy for the leases.
var (
	errUnequal   = errors.New("replicas do not own equal shares in time")
	errUnhandled = errors.New("orders were not all handled in time")
)

// options are the options of the demo.
type options struct {
	orders       int
	lease, pause time.Duration
}

// demo is a running demo.
type demo struct {
	options
	dir      string
	config   *rest.Config
	shop     *shop
	leases   membership.Leases
	table    *table
	replicas []*process // all that were started
	// takenOver is the time for which the slots of a replica that was killed had no owner.
	takenOver time.Duration
}

func run(ctx context.Context, out io.Writer, o options) error {
	filtered, err := apiserver.FilterShards(true)
	if err != nil {
		return err
	}
	server, err := apiserver.Start(ctx, apiserver.Options{})
	if err != nil {
		return err
	}
	defer server.Stop()
	crds, err := findCRDs()
	if err != nil {
		return err
	}
	if err := errors.Join(server.InstallCRDs(ctx, crds), server.InstallLeases(ctx)); err != nil {
		return err
	}
	client, err := source.NewClient(server.Config())
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "informer-gen-demo-shards-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	d := &demo{options: o, dir: dir, config: server.Config(), leases: leases.Client(client, namespace), shop: &shop{orders: orders.Client(client, namespace), count: o.orders}}
	d.table = &table{out: out, began: time.Now(), replicas: func() []*process { return d.replicas }}
	defer func() {
		for _, p := range d.replicas {
			p.end()
		}
	}()
	d.table.note("A real API server of Kubernetes %s; filters by ranges: %t. Creating %d orders.", server.Version(), filtered, o.orders)
	if err := d.shop.open(ctx); err != nil {
		return err
	}
	return d.run(ctx)
}

// findCRDs returns the folder with the definitions of the shop.
func findCRDs() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(dir, "testdata", "kubebuilder", "config", "crd", "bases")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if filepath.Dir(dir) == dir {
			return "", errors.New("testdata/kubebuilder: not found; run the demo from within a checkout")
		}
		dir = filepath.Dir(dir)
	}
}

// run lets orders change while replicas come and go, and checks what was done.
func (d *demo) run(ctx context.Context) error {
	trading, stop := context.WithCancel(ctx)
	defer stop()
	traded := make(chan error, 1)
	go func() { traded <- d.shop.trade(trading) }()
	if err := d.events(ctx); err != nil {
		return err
	}
	stop()
	if err := <-traded; err != nil {
		return err
	}
	d.table.note("No order changes any more.")
	uids, err := d.settle(ctx)
	if err != nil {
		return err
	}
	for _, p := range d.replicas {
		if _, state := p.report(); state == "" {
			if err := d.leave(ctx, p); err != nil {
				return err
			}
		}
	}
	return d.check(uids)
}

// events are the events that happen to the replicas.
func (d *demo) events(ctx context.Context) error {
	for _, event := range []struct {
		note string
		do   func() error
	}{
		{"Three replicas start.", func() error { return d.start("a", "b", "c") }},
		{"b is killed (SIGKILL).", func() error { return d.replicas[1].signal(syscall.SIGKILL, killed) }},
		{"c is stopped (SIGSTOP), and two replicas are added.", func() error {
			return errors.Join(d.replicas[2].signal(syscall.SIGSTOP, stopped), d.start("d", "e"))
		}},
		{"c continues (SIGCONT).", func() error { return d.replicas[2].signal(syscall.SIGCONT, "") }},
		{"The network of d is cut.", func() error { return d.replicas[3].signal(syscall.SIGUSR1, partitioned) }},
		{"It is mended.", func() error { return d.replicas[3].signal(syscall.SIGUSR2, "") }},
		{"All Leases are deleted.", func() error { return d.deleteLeases(ctx) }},
		{"a leaves (SIGTERM).", func() error { return d.leave(ctx, d.replicas[0]) }},
	} {
		d.table.note("%s", event.note)
		if err := event.do(); err != nil {
			return err
		}
		took, err := d.balance(ctx)
		if err != nil {
			return err
		}
		if strings.Contains(event.note, "SIGKILL") {
			d.takenOver = took
		}
		d.table.note("Each of the others owns its share, %.1f s after that.", took.Seconds())
		if err := d.table.show(ctx, d.pause); err != nil {
			return err
		}
	}
	return nil
}

// deleteLeases deletes what the replicas know of each other.
func (d *demo) deleteLeases(ctx context.Context) error {
	list, err := d.leases.List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, lease := range list.Items {
		if err := d.leases.Delete(ctx, lease.Name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	// Until they have noticed.
	return d.table.show(ctx, d.lease/2)
}

func (d *demo) start(names ...string) error {
	for _, name := range names {
		p, err := startProcess(d.dir, name, d.config, d.options)
		if err != nil {
			return err
		}
		d.replicas = append(d.replicas, p)
	}
	return nil
}

func (d *demo) leave(ctx context.Context, p *process) error {
	return errors.Join(p.signal(syscall.SIGTERM, left), p.wait(ctx))
}

// balance shows the table until the replicas that run own equally much, and everything.
func (d *demo) balance(ctx context.Context) (took time.Duration, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 40*d.options.lease, errUnequal)
	defer cancel()
	began := time.Now()
	for !d.balanced() {
		if err := d.table.show(ctx, 100*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

func (d *demo) balanced() bool {
	var owned []int
	sum := 0
	for _, p := range d.replicas {
		if r, state := p.report(); state == "" {
			owned = append(owned, r.Member.Owned.Count)
			sum += r.Member.Owned.Count
		}
	}
	return sum == slots && slices.Max(owned)-slices.Min(owned) <= 1
}

// settle shows the table until all orders have been handled, and returns their UIDs.
func (d *demo) settle(ctx context.Context) (uids []string, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 5*time.Minute, errUnhandled)
	defer cancel()
	for {
		uids, count, err := d.shop.unhandled(ctx)
		if err != nil || count == 0 {
			return uids, err
		}
		if err := d.table.show(ctx, 200*time.Millisecond); err != nil {
			return nil, fmt.Errorf("%w: %d of %d are left", err, count, len(uids))
		}
	}
}

// check compares the actions of all replicas.
func (d *demo) check(uids []string) error {
	var actions []action
	for _, p := range d.replicas {
		own, err := readActions(p.actions, p.name)
		if err != nil {
			return err
		}
		actions = append(actions, own...)
	}
	byReplica, actions := owners(actions)
	byOrder, missing, total := works(actions), 0, 0
	for _, uid := range uids {
		if len(byOrder[uid]) == 0 {
			missing++
		}
		total += len(byOrder[uid])
	}
	twice, both := overlaps(actions), shared(byReplica)
	d.table.note("%d orders, changed %d times: worked on %d times in %d steps. Not handled: %d. By two at a time: %d. Slots with two owners: %d. Taken over after %.1f s.",
		len(uids), d.shop.changed.Load(), total, len(actions), missing, len(twice), both, d.takenOver.Seconds())
	for _, pair := range twice[:min(len(twice), 5)] {
		d.table.note("  %+v\n  %+v", pair[0], pair[1])
	}
	if missing > 0 || len(twice) > 0 || both > 0 || len(uids) != d.orders {
		return errors.New("that is wrong")
	}
	return nil
}
