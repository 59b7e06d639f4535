package main

import (
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/test/bench/orders"
	shop "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// whole is the way from a server to a handler, with a client in a process of its own. It measures the cost
// of the sync, the memory that stays, and the memory that a relist adds for a while.
func whole(s scale) []workload {
	var all []workload
	for _, mode := range []struct {
		name      string
		watchList bool
	}{{"list", false}, {"watch-list", true}} {
		cost := func(ours bool) func(*testing.B) {
			return func(b *testing.B) {
				f := inProcess(b, s, client{Ours: ours, WatchList: mode.watchList})
				b.ReportMetric(float64(f.Sync), "sync-ns")
				b.ReportMetric(float64(f.CPU), "cpu-ns")
				b.ReportMetric(float64(f.Resident), "peak-RSS-B")
			}
		}
		memory := func(ours bool) func(*testing.B) {
			return func(b *testing.B) {
				f := inProcess(b, s, client{Ours: ours, WatchList: mode.watchList, Heap: true})
				b.ReportMetric(float64(f.Peak), "sync-peak-B")
				b.ReportMetric(float64(f.Steady), "steady-B")
				b.ReportMetric(float64(f.Relist)/float64(f.Steady), "relist/steady")
			}
		}
		all = append(all,
			workload{
				name: fmt.Sprintf("whole/%s/cost/objects=%d", mode.name, s.orders), rounds: 3,
				theirs: cost(false), ours: cost(true),
				show: []measure{{unit: "sync-ns"}, {unit: "cpu-ns"}, {unit: "peak-RSS-B"}},
			},
			workload{
				name: fmt.Sprintf("whole/%s/heap/objects=%d", mode.name, s.orders), rounds: 3,
				theirs: memory(false), ours: memory(true),
				show: []measure{{unit: "sync-peak-B"}, {unit: "steady-B"}, {unit: "relist/steady", atMost: 1.2}},
			})
	}
	return all
}

// inProcess runs a client until the benchmark has had enough.
func inProcess(b *testing.B, s scale, c client) (f footprint) {
	b.Helper()
	var err error
	c.Orders = s.orders
	c.Connection, err = serverOf(s, newest)
	check(b, err)
	for b.Loop() {
		f, err = c.run()
		check(b, err)
	}
	return f
}

// newest is the version of Kubernetes that the test module has; the other versions are in test/servers.
const newest = "1.37"

// running is the server that clients read from, once there is one.
var running struct {
	orders     int
	version    string
	connection orders.Connection
	stop       func()
}

func serverOf(s scale, version string) (orders.Connection, error) {
	if running.orders == s.orders && running.version == version {
		return running.connection, nil
	}
	stopServer()
	start := startServer
	if s.inMemory {
		start = startInMemory
	}
	connection, stop, err := start(s.orders, version)
	if err == nil {
		running.orders, running.version, running.connection, running.stop = s.orders, version, connection, stop
	}
	return connection, err
}

// stopServer ends what serverOf, hostOf and hostOfCollections have started.
func stopServer() {
	if collecting.stop != nil {
		collecting.stop()
		collecting.stop = nil
	}
	if feeding.stop != nil {
		feeding.stop()
		feeding.stop = nil
	}
	if running.stop != nil {
		running.stop()
		running.stop, running.orders = nil, 0
	}
}

// startServer builds the program in the folder server, and runs it, with an API server of a version of
// Kubernetes.
func startServer(n int, version string) (connection orders.Connection, stop func(), err error) {
	dir, err := os.MkdirTemp("", "informer-gen-bench-")
	if err != nil {
		return connection, nil, err
	}
	program := filepath.Join(dir, "server")
	build := exec.Command("go", "build", "-o", program, "github.com/informer-gen/informer-gen/test/bench/server")
	if out, err := build.CombinedOutput(); err != nil {
		os.RemoveAll(dir)
		return connection, nil, fmt.Errorf("building the server: %w: %s", err, out)
	}
	cmd := exec.Command(program, fmt.Sprintf("-orders=%d", n))
	if version != newest {
		older, err := buildServer(dir, version)
		if err != nil {
			os.RemoveAll(dir)
			return connection, nil, err
		}
		cmd.Env = append(os.Environ(), "APISERVER="+older)
	}
	end, err := serve(cmd, &connection)
	if err != nil {
		os.RemoveAll(dir)
		return connection, nil, err
	}
	return connection, func() {
		end()
		os.RemoveAll(dir)
	}, nil
}

// buildServer builds the API server of an older version, of the module test/servers.
func buildServer(dir, version string) (program string, err error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	program = filepath.Join(dir, "apiserver-"+version)
	build := exec.Command("go", "build", "-modfile=v"+version+".mod", "-o", program, ".")
	build.Dir = filepath.Join(filepath.Dir(string(mod)), "servers")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building the server of %s: %w: %s", version, err, out)
	}
	return program, nil
}

// startInMemory starts a server that takes no time to build or to fill.
func startInMemory(n int, _ string) (orders.Connection, func(), error) {
	all := make([]*shop.Order, n)
	for i := range all {
		all[i] = orders.New(i)
	}
	server := cachetest.NewServer()
	cachetest.Serve(server, orders.Resource, orders.Kind, cachetest.NewAPI(all...))
	listener := httptest.NewServer(server)
	return orders.Connection{Host: listener.URL}, listener.CloseClientConnections, nil
}
