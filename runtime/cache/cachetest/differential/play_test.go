package differential_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	core "github.com/informer-gen/informer-gen/runtime/cache"
	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// implementation makes an informer of the pods of a server, as its users do.
type implementation struct {
	name string
	new  func(server, bool) cache.SharedIndexInformer
	// ordered reports whether it knows that the API's versions can be compared.
	ordered bool
}

var (
	// clientGo is the implementation with which the others are compared.
	clientGo = implementation{name: "client-go", new: func(s server, _ bool) cache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(s.listerWatcher(), &v1.Pod{}, 0, indexers())
	}}
	ours = []implementation{compatible, typed}

	// compatible is runtime/clientgo/cache.
	compatible = implementation{name: "runtime/clientgo/cache", new: func(s server, _ bool) cache.SharedIndexInformer {
		return clientgocache.NewSharedIndexInformer(s.listerWatcher(), &v1.Pod{}, 0, indexers())
	}}
	// typed is runtime/cache over a typed source, behind an adapter.
	typed = implementation{name: "runtime/cache", ordered: true, new: func(s server, watchList bool) cache.SharedIndexInformer {
		informer := core.New(s.source(), core.Options[*v1.Pod]{DisableWatchList: !watchList})
		return clientgocache.Typed(informer, clientgocache.AdapterOptions{Object: &v1.Pod{}, Indexers: indexers()})
	}}
)

// indexers index by namespace, and by label, with several values for some pods.
func indexers() cache.Indexers {
	return cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"label": func(obj any) ([]string, error) {
			return slices.Collect(maps.Keys(obj.(*v1.Pod).Labels)), nil
		},
	}
}

// recovery is the duration of a step that interrupts an informer. It is longer than any informer needs to
// watch again, and until backoffs start at their initial size again.
const recovery = 10 * time.Minute

// delivery is the duration of another step. It is short, so that watches last for some steps.
const delivery = 7 * time.Second

// play returns what can be seen of an informer while a script is played.
func play(t *testing.T, s script, i implementation) (all transcript) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := newPlay(s, i)
		restarted := false
		ctx, cancel := context.WithCancel(t.Context())
		for _, step := range s.steps {
			p.do(ctx, step)
			p.recover(step)
			all = append(all, p.record(step))
			if restarted = restarted || step.kind == restart; restarted && !i.ordered {
				all[len(all)-1].known = false
			}
		}
		cancel()
		if p.started {
			<-p.ended
		}
		synctest.Wait()
		all = append(all, p.record(step{kind: "end"}))
		all[len(all)-1].known = false
	})
	return all
}

// performance is a script that is played over one implementation.
type performance struct {
	server   server
	informer cache.SharedIndexInformer
	handlers []*recorder
	removed  map[int]bool
	started  bool
	ended    chan struct{}
}

func newPlay(s script, i implementation) *performance {
	p := &performance{ended: make(chan struct{}), removed: map[int]bool{}}
	switch s.server {
	case feedServer:
		p.server = newFeed(s.watchList)
	case trackerServer:
		p.server = newTracker()
	case apiServer:
		p.server = newAPI()
	}
	p.informer = i.new(p.server, s.watchList)
	p.add()
	return p
}

func (p *performance) do(ctx context.Context, s step) {
	// A watch that is cut in its first second, after which all is listed, is in a
	// script, and not one that was opened again by chance.
	for p.server.watchedFor() < 2*time.Second {
		time.Sleep(time.Second)
	}
	p.server.do(s)
	switch s.kind {
	case start:
		if p.started {
			return
		}
		p.started = true
		go func() {
			defer close(p.ended)
			p.informer.RunWithContext(ctx)
		}()
	case add:
		p.add()
	case remove:
		if s.handler < len(p.handlers) {
			p.removed[s.handler] = true
			if err := p.informer.RemoveEventHandler(p.handlers[s.handler].registration); err != nil {
				panic(err)
			}
		}
	case wait:
		time.Sleep(time.Hour)
	}
}

// recover lets the time pass that an informer needs after a step.
func (p *performance) recover(s step) {
	switch s.kind {
	case write, bookmark, add, remove:
		time.Sleep(delivery)
	default:
		for range recovery / time.Minute {
			p.server.beat()
			time.Sleep(time.Minute)
		}
	}
	synctest.Wait()
}

func (p *performance) add() {
	r := &recorder{}
	registration, err := p.informer.AddEventHandler(r)
	if err != nil {
		panic(err)
	}
	r.registration = registration
	p.handlers = append(p.handlers, r)
}

func (p *performance) record(s step) *record {
	r := &record{
		step:         s,
		hasSynced:    p.informer.HasSynced(),
		isStopped:    p.informer.IsStopped(),
		removed:      maps.Clone(p.removed),
		version:      p.informer.LastSyncResourceVersion(),
		storeVersion: storeVersion(p.informer.GetStore()),
		indexed:      index(p.informer.GetIndexer()),
	}
	r.unversioned = r.version == "" // before differences that are meant are made the same
	for _, h := range p.handlers {
		r.events = append(r.events, h.take())
		r.synced = append(r.synced, h.registration.HasSynced())
	}
	for _, obj := range p.informer.GetStore().List() {
		r.stored = append(r.stored, describe(obj))
		r.versions = append(r.versions, obj.(*v1.Pod).ResourceVersion)
	}
	slices.Sort(r.stored)
	r.truth, r.known = p.server.pods()
	r.listed = p.server.latest()
	if f, ok := p.server.(*feed); ok {
		r.twice = f.twice()
	}
	return r
}

// index returns the contents of an indexer's indexes.
func index(x cache.Indexer) []string {
	var all []string
	for name := range indexers() {
		for _, value := range x.ListIndexFuncValues(name) {
			keys, err := x.IndexKeys(name, value)
			if err != nil {
				panic(err)
			}
			slices.Sort(keys)
			all = append(all, name+" "+value+": "+strings.Join(keys, " "))
		}
	}
	slices.Sort(all)
	return all
}
