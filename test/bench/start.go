package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// starts measures the most memory that a program has while many informers start together, and how much they
// hold afterwards.
func starts(s scale) []workload {
	var all []workload
	server := collections{Resources: startResources, Each: s.started}
	for _, way := range []startWay{typedStart, transformStart, clientsetStart, functionsStart} {
		theirs, ours := starter{Server: server, Way: way}, starter{Server: server, Way: way, Ours: true}
		all = append(all, workload{
			name:   fmt.Sprintf("start/%s/objects=%d", way, server.Resources*server.Each),
			theirs: starting(theirs), ours: starting(ours),
			show:   []measure{{unit: startPeak}, {unit: startHeld}, {unit: startRatio}, {unit: ingestCPU}},
			rounds: 1, // it varies little
		})
	}
	return all
}

// startWay is the way in which informers get their objects.
type startWay string

const (
	// typedStart is runtime/source, which decodes a list item by item.
	typedStart startWay = "typed"
	// transformStart has a transform too, which drops most of each object.
	transformStart startWay = "transform"
	// clientsetStart has a REST client of client-go, through which runtime/source sends its requests.
	clientsetStart startWay = "clientset"
	// functionsStart has list functions of its own around that client, which decodes whole lists.
	functionsStart startWay = "functions"

	startResources = 26

	startPeak  = "peak-RSS-B"
	startHeld  = "held-B"
	startRatio = "peak/held"
)

// starter starts informers of all resources of a server, in a process of its own.
type starter struct {
	Host   string
	Server collections
	Way    startWay
	Ours   bool
}

// started is the cost of a start.
type started struct {
	// CPU is the user and system time of the process until all informers were in sync.
	CPU time.Duration
	// Peak is the most memory that was resident until then, and Held the live heap afterwards,
	// in bytes; both without what was there before the start.
	Peak uint64
	Held float64
}

// do starts, and writes the result.
func (s starter) do(w io.Writer) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	start, err := s.informers()
	if err != nil {
		return err
	}
	result, err := s.measure(ctx, start)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(result)
}

// measure measures until start returns, when all informers are in sync.
func (s starter) measure(ctx context.Context, start func(context.Context) error) (result started, err error) {
	idle := usageNow()
	debug.FreeOSMemory() // what is free, but resident, would hide what the informers allocate
	resident, used := memoryOf(residentNow), cpu()
	if err := start(ctx); err != nil {
		return result, err
	}
	result.CPU = cpu() - used
	result.Peak = memoryOf(mostResident) - resident
	result.Held = usageNow().minus(idle).heap
	return result, nil
}

// informers makes informers of either side, and returns a function that runs them and waits
// until all are in sync.
func (s starter) informers() (start func(context.Context) error, err error) {
	config := &rest.Config{Host: s.Host, QPS: -1}
	config.ContentType, config.AcceptContentTypes = string(inProtobuf), string(inProtobuf)
	theirs := rest.CopyConfig(config)
	theirs.APIPath, theirs.GroupVersion = "/api", &v1.SchemeGroupVersion
	theirs.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	whole, err := rest.RESTClientFor(theirs)
	if err != nil {
		return nil, err
	}
	if !s.Ours {
		return s.theirs(whole)
	}
	client, err := source.NewClient(config)
	if err != nil {
		return nil, err
	}
	f := factory.NewForResources(func(resource schema.GroupVersionResource, namespace string) core.Objects {
		switch lw := source.NewListWatch(whole, resource.Resource, namespace, nil); s.Way {
		case clientsetStart:
			return source.FromListerWatcher[*v1.Pod](lw, &v1.Pod{}).Objects
		case functionsStart:
			return source.FromClientset[*v1.Pod](whole, lw.ListWithContext, lw.WatchWithContext).Objects
		}
		return source.New[*v1.Pod](client, resource, namespace).Objects
	}, factory.Options{
		Transform: s.transform(), ListWatch: core.ListWatch{DisableWatchList: true},
	})
	for i := range s.Server.Resources {
		f.InformerFor(s.Server.resource(i))
	}
	return func(ctx context.Context) error {
		f.StartWithContext(ctx)
		return f.WaitForSync(ctx)
	}, nil
}

func (s starter) theirs(client rest.Interface) (start func(context.Context) error, err error) {
	var informers []toolscache.SharedIndexInformer
	var synced []toolscache.InformerSynced
	for i := range s.Server.Resources {
		lw := listerOf(client, s.Server.resource(i))
		informer := toolscache.NewSharedIndexInformer(lw, &v1.Pod{}, 0, toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc})
		if err := informer.SetTransform(s.transform()); err != nil {
			return nil, err
		}
		informers, synced = append(informers, informer), append(synced, informer.HasSynced)
	}
	return func(ctx context.Context) error {
		for _, informer := range informers {
			go informer.RunWithContext(ctx)
		}
		if !toolscache.WaitForCacheSync(ctx.Done(), synced...) {
			return errors.New("not in sync")
		}
		return nil
	}, nil
}

// listerOf lists and watches a resource, without watch-lists, which the server does not have.
func listerOf(client rest.Interface, resource schema.GroupVersionResource) toolscache.ListerWatcher {
	return onlyLists{toolscache.NewListWatchFromClient(client, resource.Resource, "", fields.Everything())}
}

type onlyLists struct{ *toolscache.ListWatch }

func (onlyLists) IsWatchListSemanticsUnSupported() bool { return true }

// transform drops most of each object, or is nil.
func (s starter) transform() toolscache.TransformFunc {
	if s.Way != transformStart {
		return nil
	}
	return func(obj any) (any, error) {
		pod := obj.(*v1.Pod)
		pod.ManagedFields, pod.Spec = nil, v1.PodSpec{NodeName: pod.Spec.NodeName}
		return pod, nil
	}
}

// starting runs a starter until the benchmark has had enough.
func starting(s starter) func(*testing.B) {
	return func(b *testing.B) {
		var err error
		s.Host, err = hostOfCollections(s.Server)
		check(b, err)
		var result started
		for b.Loop() {
			cmd, err := process("start", s)
			check(b, err)
			check(b, resultOf(cmd, &result))
		}
		b.ReportMetric(float64(result.CPU), ingestCPU)
		b.ReportMetric(float64(result.Peak), startPeak)
		b.ReportMetric(result.Held, startHeld)
		b.ReportMetric(float64(result.Peak)/result.Held, startRatio)
	}
}
