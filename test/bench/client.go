package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/fields"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/test/bench/orders"
	shop "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// client is an informer in a process of its own, whose CPU and memory are its
// own as well.
type client struct {
	Connection orders.Connection
	// Orders is the number of the server's orders.
	Orders    int
	Ours      bool
	WatchList bool
	// Heap reports whether to look at the live heap, and to relist, instead of the
	// costs.
	Heap bool
	// Network is the network in between, if its rate is not zero. Events is the number of events after the
	// sync; a second footprint follows them.
	Network network
	Events  int
}

// smallGC is a GOGC with which the live heap is seen often enough to know its
// peak.
const smallGC = 10

// footprint is a client's report at its end.
type footprint struct {
	// Sync is the time until a handler had seen everything, and CPU the process's CPU until then.
	Sync, CPU time.Duration
	// Resident is the most memory that the process has had until then, in bytes.
	Resident uint64
	// Live heap in bytes: the most until then, afterwards, and the most
	// during a relist that found nothing changed.
	Peak, Steady, Relist uint64
	// Received are the bytes that came through the network until then.
	Received int64
}

// do follows, and writes the footprint.
func (c client) do(w io.Writer) error {
	klog.SetLogger(logr.Discard()) // of the watches that are cut
	return c.follow(context.Background(), json.NewEncoder(w).Encode)
}

// run runs a client in a process.
func (c client) run() (f footprint, err error) {
	cmd, err := process("client", c)
	if err != nil {
		return f, err
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%v", watchListVariable, c.WatchList))
	if err := resultOf(cmd, &f); err != nil {
		return f, fmt.Errorf("client: %w", err)
	}
	return f, nil
}

// follow syncs, says what that took, and then relists once or waits for events.
func (c client) follow(ctx context.Context, report func(any) error) error {
	var f footprint
	if c.Heap {
		debug.SetGCPercent(smallGC)
	}
	link := &link{}
	config := c.Connection.Config()
	config.Wrap(link.through)
	var seen, received atomic.Int64
	if c.Network.Rate > 0 {
		config.Dial = c.Network.dial(&received)
	}
	informer, err := c.informer(config)
	if err != nil {
		return err
	}
	if _, err := informer.AddEventHandler(onChange(func() { seen.Add(1) })); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	heap := &heapWatch{}
	if c.Heap {
		go heap.run(ctx)
	}
	began, used := time.Now(), cpu()
	go informer.RunWithContext(ctx)
	wait := func(n int) error {
		for seen.Load() < int64(n) {
			if ctx.Err() != nil {
				return fmt.Errorf("not in sync: %d of %d orders and events", seen.Load(), n)
			}
			time.Sleep(time.Millisecond)
		}
		f.Sync, f.CPU, f.Resident, f.Received = time.Since(began), cpu()-used, memoryOf(mostResident), received.Load()
		return nil
	}
	if err := wait(c.Orders); err != nil {
		return err
	}
	if c.Heap {
		f.Peak = heap.peak()
		f.Steady = heap.now()
		err = link.relist(ctx)
		f.Relist = heap.peak()
	}
	err = errors.Join(err, report(f))
	if c.Events > 0 && err == nil {
		if err = wait(c.Orders + c.Events); err == nil {
			err = report(f)
		}
	}
	return err
}

func (c client) informer(config *rest.Config) (toolscache.SharedIndexInformer, error) {
	indexers := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
	if c.Ours {
		client, err := source.NewClient(config)
		if err != nil {
			return nil, err
		}
		resource := factory.Resource{GroupVersionResource: orders.Resource, Namespaced: true}
		src := source.New[*shop.Order](client, orders.Resource, "")
		return factory.NewInformer(resource, src, factory.InformerOptions{Indexers: indexers}), nil
	}
	scheme := apiruntime.NewScheme()
	if err := shop.AddToScheme(scheme); err != nil {
		return nil, err
	}
	config.APIPath, config.GroupVersion = "/apis", &shop.GroupVersion
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(config)
	if err != nil {
		return nil, err
	}
	lw := toolscache.NewListWatchFromClient(client, orders.Resource.Resource, "", fields.Everything())
	return toolscache.NewSharedIndexInformer(lw, &shop.Order{}, 0, indexers), nil
}

// cpu returns what the process has used so far.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// Memory of a process, as the system calls it.
const (
	residentNow  = "VmRSS:"
	mostResident = "VmHWM:"
)

// memoryOf returns the memory of this process in bytes; zero if the system does not
// say. Getrusage would say at least what the parent had.
func memoryOf(kind string) uint64 {
	status, _ := os.ReadFile("/proc/self/status")
	_, rest, _ := strings.Cut(string(status), kind)
	var kilobytes uint64
	_, _ = fmt.Sscan(rest, &kilobytes)
	return kilobytes << 10
}

// heapWatch looks at the live heap all the time.
type heapWatch struct{ most atomic.Uint64 }

func (h *heapWatch) run(ctx context.Context) {
	for ctx.Err() == nil {
		if live := liveHeap(); live > h.most.Load() {
			h.most.Store(live)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// peak returns the most since the last call.
func (h *heapWatch) peak() uint64 { return h.most.Swap(0) }

// now returns the live heap without any garbage.
func (h *heapWatch) now() uint64 {
	runtime.GC()
	h.most.Store(0)
	return liveHeap()
}

// liveHeap returns what the last garbage collection has found in use.
func liveHeap() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
