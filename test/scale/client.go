package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// client is an informer of a shard, in a process of its own.
type client struct {
	Host       string
	Population population
	Ranges     shard.Ranges
	Events     int
}

// usage is the cost of a shard for a process.
type usage struct {
	// List is its CPU until it is in sync, and Heap the live heap then, in bytes.
	List time.Duration
	Heap float64
	// Event is its CPU until it has read all changes.
	Event time.Duration
	// Objects is the number of the shard's objects.
	Objects int
}

// do follows the shard, and writes the usage.
func (c client) do(w io.Writer) error {
	klog.SetLogger(logr.Discard()) // of servers that do not filter, as they are to be
	var u usage
	var err error
	if c.Population.Class == configMaps {
		u, err = follow[*v1.ConfigMap](c)
	} else {
		u, err = follow[*v1.Pod](c)
	}
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(u)
}

func follow[T object](c client) (u usage, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	config := &rest.Config{Host: c.Host, QPS: -1}
	config.AcceptContentTypes, config.ContentType = c.Population.Encoding, c.Population.Encoding
	connection, err := source.NewClient(config)
	if err != nil {
		return u, err
	}
	all := source.New[T](connection, v1.SchemeGroupVersion.WithResource(c.Population.resource()), "")
	informer := cache.New(shard.Source(all, shard.New(shard.UID, c.Ranges)), cache.Options[T]{DisableWatchList: true})
	heap := liveHeap()
	debug.FreeOSMemory()
	used := cpu()
	go func() { _ = informer.Run(ctx) }()
	if err := informer.WaitForSync(ctx); err != nil {
		return u, err
	}
	u.List = cpu() - used
	u.Heap, u.Objects = liveHeap()-heap, informer.Store().Len()
	used = cpu() // the garbage collections are not the events'
	response, err := http.Post(c.Host+"/changes", "", nil)
	if err != nil {
		return u, err
	}
	_ = response.Body.Close()
	for last := c.Population.changeVersion(c.Events); informer.Status().ResourceVersion != last; time.Sleep(5 * time.Millisecond) {
		if ctx.Err() != nil {
			return u, fmt.Errorf("version %s has not come: %v", last, informer.Status())
		}
	}
	u.Event = cpu() - used
	return u, nil
}

// liveHeap returns the bytes in use without garbage.
func liveHeap() float64 {
	runtime.GC()
	runtime.GC() // what the first has only found to be finalized
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}

// cpu returns what the process has used so far.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
