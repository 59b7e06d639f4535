package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/test/bench/orders"
	"github.com/informer-gen/informer-gen/test/bench/pods"
	shop "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// network is between a server and a client: Rate is the bits of a second that the client gets at
// the most, and Latency the time that they take.
type network struct {
	Rate    float64
	Latency time.Duration
}

func (n network) String() string { return fmt.Sprintf("%gMbit/s,%v", n.Rate/1e6, n.Latency) }

// goal is the ratio that client-go's time should have to this runtime's: a slow network is the same for both.
func (n network) goal() float64 {
	if n.Rate < 1e9 {
		return 1.25
	}
	return 1
}

// asMany is the goal for bytes: how many events a server compresses at once varies.
const asMany = 0.95

// networks measures a client that reads over TLS through a network, from a real server, at first and with
// each event.
func networks(s scale) []workload {
	var all []workload
	fast, slow := network{1e9, time.Millisecond}, network{1e8, 20 * time.Millisecond}
	for _, row := range []struct {
		server, mode string
		network
	}{
		{newest, "list", fast}, {newest, "watch-list", fast}, {newest, "list", slow}, {newest, "watch-list", slow},
		{"1.34", "watch-list", fast}, {"1.34", "watch-list", slow},
	} {
		var serverCPU []measure
		if row.server == newest { // another one has a process of its own
			serverCPU = []measure{{unit: "server-cpu-ns"}}
		}
		cost := func(ours bool) func(*testing.B) {
			return func(b *testing.B) {
				connection, err := serverOf(s, row.server)
				check(b, err)
				c := client{Connection: connection, Orders: s.orders, Ours: ours, WatchList: row.mode == "watch-list", Network: row.network, Events: s.orders / 10}
				for b.Loop() {
					check(b, c.overNetwork(b.ReportMetric))
				}
			}
		}
		all = append(all, workload{
			name: fmt.Sprintf("network/%s/%s/%s/objects=%d", row.server, row.mode, row.network, s.orders), rounds: 1,
			theirs: cost(false), ours: cost(true),
			show: slices.Concat([]measure{{unit: "sync-ns", times: row.goal()}, {unit: "sync-B", times: asMany}, {unit: "cpu-ns", times: 1}},
				serverCPU, []measure{{unit: "event-B", times: asMany}, {unit: "event-cpu-ns", times: 1}}),
		})
	}
	for _, n := range []network{fast, slow} {
		f := feed{Pods: pods.Population{Size: s.pods}, Events: s.podEvents, WatchList: true, Encoding: inProtobuf, Network: n}
		all = append(all, workload{
			name: fmt.Sprintf("network/pods/%s/%s/objects=%d", ingestMode{watchList: true, encoding: inProtobuf}, n, s.pods), rounds: 1,
			theirs: ingester{Feed: f}.benchmark, ours: ingester{Feed: f, Ours: true}.benchmark,
			show: []measure{{unit: ingestTime, times: n.goal()}, {unit: "sync-B", times: asMany}, {unit: ingestCPU, times: 1}, {unit: "event-B", times: asMany}, {unit: eventCPU, times: 1}},
		})
	}
	return all
}

// overNetwork runs a client in a process, changes objects when it is in sync, and reports what
// both took.
func (c client) overNetwork(report func(n float64, unit string)) error {
	cmd, err := process("client", c)
	if err != nil {
		return err
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", watchListVariable, c.WatchList))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	before := cpuOf(c.Connection.PID)
	if err := cmd.Start(); err != nil {
		return err
	}
	var synced, after footprint
	results := json.NewDecoder(out)
	err = results.Decode(&synced)
	serving := cpuOf(c.Connection.PID) - before
	if err == nil {
		err = errors.Join(touch(context.Background(), c.Connection.Config(), c.Events), results.Decode(&after))
	}
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return fmt.Errorf("client: %w", err)
	}
	events := float64(c.Events)
	report(float64(synced.Sync), "sync-ns")
	report(float64(synced.Received), "sync-B")
	report(float64(synced.CPU), "cpu-ns")
	report(float64(serving), "server-cpu-ns")
	report(float64(after.Received-synced.Received)/events, "event-B")
	report(float64(after.CPU-synced.CPU)/events, "event-cpu-ns")
	return nil
}

// touch changes n orders, some at a time.
func touch(ctx context.Context, config *rest.Config, n int) error {
	config.APIPath, config.GroupVersion = "/apis", &shop.GroupVersion
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return err
	}
	changing, ctx := errgroup.WithContext(ctx)
	changing.SetLimit(4)
	for i := range n {
		changing.Go(func() error {
			order := orders.New(i)
			patch := fmt.Appendf(nil, `{"spec":{"warehouse":"warehouse-%d"}}`, time.Now().UnixNano())
			return client.Patch(types.MergePatchType).Namespace(order.Namespace).Resource(orders.Resource.Resource).Name(order.Name).Body(patch).Do(ctx).Error()
		})
	}
	return changing.Wait()
}

// cpuOf returns what a process has used so far, zero if the system does not say.
func cpuOf(pid int) time.Duration {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	fields := strings.Fields(string(stat))
	if len(fields) < 15 {
		return 0
	}
	user, _ := strconv.Atoi(fields[13])
	system, _ := strconv.Atoi(fields[14])
	return time.Duration(user+system) * 10 * time.Millisecond // clock ticks
}

// dial returns connections through the network, which count what they receive.
func (n network) dial(received *atomic.Int64) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		line := &line{Conn: conn, network: n, received: received, arriving: make(chan arrival, 4096)}
		go line.carry()
		return line, nil
	}
}

// line is a connection through a network.
type line struct {
	net.Conn
	network  network
	received *atomic.Int64
	arriving chan arrival
	// rest has what has arrived and was not read yet.
	rest []byte
}

// arrival is data that arrives at some time.
type arrival struct {
	bytes []byte
	at    time.Time
	err   error
}

// carry reads what the server sends, and says when it arrives.
func (l *line) carry() {
	var free time.Time // when the network has carried all that came before
	for {
		buffer := make([]byte, 16<<10)
		n, err := l.Conn.Read(buffer)
		l.received.Add(int64(n))
		if now := time.Now(); now.After(free) {
			free = now
		}
		free = free.Add(time.Duration(float64(n) * 8 / l.network.Rate * float64(time.Second)))
		l.arriving <- arrival{buffer[:n], free.Add(l.network.Latency), err}
		if err != nil {
			return
		}
	}
}

// Read implements net.Conn.
func (l *line) Read(p []byte) (int, error) {
	if len(l.rest) == 0 {
		next := <-l.arriving
		time.Sleep(time.Until(next.at))
		l.rest = next.bytes
		if next.err != nil {
			l.arriving <- arrival{err: next.err} // for the next call
			if len(l.rest) == 0 {
				return 0, next.err
			}
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}
