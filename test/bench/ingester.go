package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/internal/podinformers"
	"github.com/informer-gen/informer-gen/runtime/shard"
)

// ingester is an informer of the pods of a feed, with one handler, in a process of its
// own, whose CPU and memory are its own as well.
type ingester struct {
	// Host is where the feed is, with the path for this client.
	Host string
	Feed feed
	Ours bool
	// Through is the way to the informer.
	Through way
	// Shards is of how many equal shards it follows the first; zero is all pods.
	Shards int

	received *atomic.Int64 // bytes, through a network
}

// ingested is the cost of taking objects in.
type ingested struct {
	// CPU is the user and system time of the process until it was in sync.
	CPU time.Duration
	// Peak is the most memory that was resident until then, and Heap the live heap
	// afterwards, in bytes; both without what was there before the start.
	Peak uint64
	Heap float64
	// EventCPU is the process's CPU for each watch event after that, and HeapAfter the live heap after the
	// last of them.
	EventCPU  time.Duration
	HeapAfter float64
	// Took is the time until the sync.
	Took time.Duration
	// Received counts the bytes that came through the network until then, and EventReceived the bytes of
	// each watch event.
	Received, EventReceived float64
}

// run runs an ingester in a process.
func (i ingester) run() (result ingested, err error) {
	cmd, err := process("ingest", i)
	if err != nil {
		return result, err
	}
	// The server has what the Feed says, and only a direct way has an option for it.
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%t", watchListVariable, i.Feed.WatchList || i.Through == direct))
	if err := resultOf(cmd, &result); err != nil {
		return result, fmt.Errorf("ingest: %w", err)
	}
	return result, nil
}

// do ingests, and writes the result.
func (i ingester) do(w io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	i.received = &atomic.Int64{}
	informer, err := i.informer()
	if err != nil {
		return err
	}
	result, err := i.measure(ctx, informer)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(result)
}

// measure runs an informer until it has seen the last change.
func (i ingester) measure(ctx context.Context, informer toolscache.SharedIndexInformer) (result ingested, err error) {
	size, last, err := i.expected()
	if err != nil {
		return result, err
	}
	var seen atomic.Int64
	synced, changed := make(chan struct{}), make(chan struct{})
	if _, err := informer.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
		AddFunc: func(any) {
			if seen.Add(1) == int64(size) {
				close(synced)
			}
		},
		UpdateFunc: func(_, now any) {
			if now.(*v1.Pod).ResourceVersion == last {
				close(changed)
			}
		},
	}); err != nil {
		return result, err
	}
	idle := usageNow()
	// Free memory that is still resident would hide what the informer allocates.
	debug.FreeOSMemory()
	resident, used := memoryOf(residentNow), cpu()
	began := time.Now()
	go informer.RunWithContext(ctx)
	if err := await(ctx, synced); err != nil {
		return result, fmt.Errorf("not in sync: %d pods of %d: %w", seen.Load(), size, err)
	}
	result.Took, result.CPU = time.Since(began), cpu()-used
	result.Peak = memoryOf(mostResident) - resident
	result.Heap, result.Received = usageNow().minus(idle).heap, float64(i.received.Load())

	used = cpu() // the garbage collections are not the events'
	if err := i.requestChanges(ctx); err != nil {
		return result, err
	}
	if i.Feed.Events > 0 {
		if err := await(ctx, changed); err != nil {
			return result, fmt.Errorf("version %s has not come: %w", last, err)
		}
		result.EventCPU = (cpu() - used) / time.Duration(i.Feed.Events)
		result.HeapAfter = usageNow().minus(idle).heap
		result.EventReceived = (float64(i.received.Load()) - result.Received) / float64(i.Feed.Events)
	}
	return result, nil
}

func await(ctx context.Context, event <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-event:
		return nil
	}
}

// informer returns one of either side, made as its users make it.
func (i ingester) informer() (toolscache.SharedIndexInformer, error) {
	config := &rest.Config{Host: i.Host, QPS: -1}
	if i.Feed.Network.Rate > 0 {
		config.Dial, config.Insecure = i.Feed.Network.dial(i.received), true
	}
	config.ContentType = string(i.Feed.Encoding)
	config.AcceptContentTypes = string(i.Feed.Encoding)
	if i.Through != direct {
		return i.Through.informer(config, i.Ours)
	}
	implementation := podinformers.ClientGo
	if i.Ours {
		implementation = podinformers.Typed
	}
	ranges, err := i.ranges()
	if err != nil {
		return nil, err
	}
	options := podinformers.Options{Listing: !i.Feed.WatchList}
	if i.Shards > 0 {
		options.Shard = shard.New(shard.UID, ranges)
	}
	return implementation.New(config, options)
}

// ranges returns the ranges of the shard, or all hashes without shards.
func (i ingester) ranges() (shard.Ranges, error) {
	if i.Shards == 0 {
		return shard.All(), nil
	}
	return shard.Of(0, i.Shards)
}

// expected returns how many pods the informer must see, and the version of the last change of one of them.
func (i ingester) expected() (size int, last string, err error) {
	pods := i.Feed.Pods
	if i.Shards == 0 {
		return pods.Size, pods.ChangeVersion(i.Feed.Events - 1), nil
	}
	ranges, err := i.ranges()
	has := func(pod *v1.Pod) bool { return ranges.Contains(shard.UID.Hash(pod)) }
	for n := range pods.Size {
		if has(pods.Pod(n)) {
			size++
		}
	}
	for n := range i.Feed.Events {
		if change := pods.Change(i.Feed.Events - 1 - n); has(change) {
			return size, change.ResourceVersion, err
		}
	}
	return size, "", err
}

// requestChanges checks that this informer has listed in the way that the benchmark measures, and makes the
// feed send its changes.
func (i ingester) requestChanges(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, i.Host+"/changes", nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} //nolint:gosec // a benchmark
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("feed: %s: %s", response.Status, text)
	}
	return nil
}
