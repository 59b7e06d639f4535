package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/informer-gen/informer-gen/internal/pages"
)

// page is a document with the results of some workloads.
type page struct {
	file string
	// theirs and ours are the names of the sides of its workloads.
	theirs, ours string
	// head is above the plots, with the machine and the date.
	head string
}

var (
	mainPage    = page{"README.md", "client-go", "here", mainHead}
	ingestPage  = page{"ingest.md", "client-go", "here", ingestHead}
	startPage   = page{"start.md", "client-go", "here", startHead}
	shardsPage  = page{"shards.md", "all", "shard", shardsHead}
	networkPage = page{"network.md", "client-go", "here", networkHead}
	allPages    = []page{mainPage, ingestPage, startPage, shardsPage, networkPage}
)

// pageOf returns the page that a workload, or a plot of workloads, is on.
func pageOf(workload string) page {
	switch {
	case strings.HasPrefix(workload, "ingest/"):
		return ingestPage
	case strings.HasPrefix(workload, "shards/"):
		return shardsPage
	case strings.HasPrefix(workload, "start/"):
		return startPage
	case strings.HasPrefix(workload, "network/"):
		return networkPage
	}
	return mainPage
}

// writeDocs writes the pages that there are results of, each with its plots and its table, into a
// folder. In a repository's folder of results, it then writes the figures of README and guide.
func writeDocs(dir string, s scale, results []result) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, p := range allPages {
		of := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return pageOf(r.Workload) != p })
		if len(of) == 0 {
			continue
		}
		if err := p.write(dir, s, of); err != nil {
			return err
		}
	}
	if root, ok := strings.CutSuffix(filepath.ToSlash(filepath.Clean(dir)), pages.ResultsDir); ok {
		return pages.WriteFigures(root)
	}
	return nil
}

func (p page) write(dir string, s scale, results []result) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, p.head, machine(), time.Now().Format(time.DateOnly))
	for _, plot := range plots(s) {
		var picture bytes.Buffer
		drawn, err := plot.draw(&picture, results)
		if err != nil {
			return err
		}
		if !drawn {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, plot.name+".svg"), picture.Bytes(), 0o644); err != nil {
			return err
		}
		fmt.Fprintf(&text, "![%s](%s.svg)\n", plot.title, plot.name)
	}
	fmt.Fprintf(&text, "\n| workload | %s | %s | ratio | unit | goal | |\n|---|--:|--:|--:|---|---|---|\n", p.theirs, p.ours)
	for _, r := range results {
		fmt.Fprintf(&text, "| %s |\n", strings.Join(cells(r), " | "))
	}
	return os.WriteFile(filepath.Join(dir, p.file), text.Bytes(), 0o644)
}

const mainHead = `# Benchmarks

Written by ` + "`make bench`" + `: this runtime and client-go's v0.37.2, measured side by
side in one process, on %s, %s.

Every round measures theirs and ours, each first in its turn; a value is the median
of the rounds, and a ratio that of the rounds' ratios: how many times better this
runtime is. A floor is one make and one copy of the pointers, measured in the same
rounds. Sizes, goals and what a name means are in the sources of test/bench, a
workload beside the other; what else was tried is in [alternatives.md](alternatives.md).
What it takes to take objects in from a server is in [ingest.md](ingest.md), and how much memory a start of many informers
takes in [start.md](start.md). What a part of the objects takes is in [shards.md](shards.md), and what
bytes go over a network in [network.md](network.md). ` + "`make bench-generate`" + ` measures the generator, in
[generate.md](generate.md).

`

const ingestHead = `# Ingest

What it takes to take objects in from a server over HTTP, written by ` + "`make bench`" + `,
or alone by ` + "`cd test && go run ./bench -run ^ingest -docs ../docs/results/bench`" + `: an informer of this
runtime and one of client-go v0.37.2 over its REST client, on %s, %s.
Both, and the server, are processes of their own. The server writes bytes that it has
encoded before, without TLS or compression. Clients of built-in types ask for watch-lists in
protobuf, and so do managers; custom resources, and clients that decode any type, have JSON.

The pods are as an API server sends them, 13 KB of JSON each. "replicas" are of
deployments with a hundred pods, "fixed-volumes" the same but that the volume with the
token of the service account has one name in all pods of a deployment, where API servers
choose one for each, and "distinct" pods have no string and no number in common. Three ways have the pods of "replicas": "manager" is
the cache of controller-runtime, as it is and with the informers of ` + "`Streaming`" + `
([controller-runtime](../../controller-runtime.md)); "import" is an informer of ` + "`NewListWatchFromClient`" + `, with client-go's
package ` + "`cache`" + ` and with this module's; "clientset" is a factory over client-go's clientset, client-go's and a generated one.

- **cpu**: of the process, user and system, from the start until a handler has seen all
- **peak-RSS-B**: the most resident memory until then, without what the process had before
- **heap-B**: the live heap then, after a garbage collection, without what it was before
- **cpu/event**: of the process, for each of 20,000 watch events after that, which change
  a condition, the resourceVersion and the time of the kubelet's managed fields
- **heap-after-events-B**: the live heap after these

A value is the median of one or more rounds, and a ratio that of their ratios: how many
times better this runtime is.

`

const startHead = `# Start

How much memory a program takes while the informers of 26 resources start together, and how much
they hold afterwards, written by ` + "`make bench`" + `, or alone by
` + "`cd test && go run ./bench -run ^start -docs ../docs/results/bench`" + `, on %s, %s.
Each start, of client-go v0.37.2 or of this runtime, is a process of its own, and so is the
server. Each resource has 2,000 pods, in protobuf, with 13 KB in JSON or a third of that; they
are of deployments with a hundred pods. client-go has the same clients in all rows.

- **typed**: sources of runtime/source, which decode lists item by item
- **transform**: the same with a transform that drops the managed fields and the spec
- **clientset**: informers over a REST client of client-go, as a clientset has it. Informers of this runtime send their
  requests through it, and decode
- **functions**: list functions of one's own around such a client, which decodes whole lists
- **peak-RSS-B**: the most resident memory until all are in sync, without what the process had
  before
- **held-B**: the live heap then, after a garbage collection
- **cpu**: of the process, user and system, until all are in sync

`

const shardsHead = `# Shards

What a replica takes that follows one of eight shards of the pods ([sharding.md](../../sharding.md)),
beside one that follows all of them, written by ` + "`make bench`" + `, or alone by
` + "`cd test && go run ./bench -run ^shards -docs ../docs/results/bench`" + `, on %s, %s.
Pods, server and measures are those of [ingest.md](ingest.md); **sync** is the time until a
handler has seen all pods. "filters=true" is a server that obeys shard selectors (KEP-5866),
"filters=false" one that sends everything. **cpu/event** is the CPU for each change of any pod,
also of other shards. A replica of such a server reads all bytes: that is what remains.

Measured elsewhere:

| what | figure | command |
|---|---|---|
| a replica is killed, with Leases of 8 s: until the others own its orders, and have them | 6.7 s | ` + "`make demo-shards`" + ` |
| a replica is stopped by SIGSTOP, and two are added: the same | 6.4 s | ` + "`make demo-shards`" + ` |
| a replica leaves: the same | 0.5 s | ` + "`make demo-shards`" + ` |
| 1,000 namespaces over 8 shards of ` + "`membership.Balance`" + `: the fullest, relative to the mean | 1.00; 3.2 with equal ranges | ` + "`cd operations && go test ./membership -run Balance -v`" + ` |

`

const networkHead = `# Network

What an informer takes through a network, written by ` + "`make bench`" + `, or alone by
` + "`cd test && go run ./bench -run ^network -docs ../docs/results/bench`" + `: one of this runtime and one of
client-go v0.37.2 over its REST client, on %s, %s. The server is the API server for custom resources
of Kubernetes 1.37, which compresses lists and watch-lists, or of 1.34, which compresses lists only. All are processes on one machine; the client reads
no faster than the network allows, and what was sent arrives later by its latency. The objects are custom
resources of 5 KB in JSON, or pods in protobuf, of the server of [ingest.md](ingest.md) with TLS and compression.

- **sync**: the time until a handler has seen all
- **sync-B**: the bytes that the client has received until then, with those of TLS
- **cpu**, **server-cpu**: of each process until then, user and system
- **event-B**, **event-cpu**: bytes and CPU of the client for each object that is changed after that

A watch-list of a server of 1.34 is not compressed: its 94 MB take 7.5 s of a network of 100 Mbit/s, for client-go's
informer as for this one.

`

// machine says what the numbers are from.
func machine() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	_, model, _ := strings.Cut(string(info), "model name")
	model, _, _ = strings.Cut(model, "\n")
	model = cmp.Or(strings.TrimLeft(model, "\t :"), runtime.GOARCH)
	return fmt.Sprintf("%d cores of %s with %s", runtime.NumCPU(), model, runtime.Version())
}
