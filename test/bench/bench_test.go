// Package bench measures this runtime and client-go's side by side, in the same
// run and on the same objects: go test -bench . ./bench
package bench

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/listers"
	clientgo "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache"
	ours "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	ourlisters "github.com/informer-gen/informer-gen/runtime/clientgo/listers"
)

type thing = metav1.PartialObjectMetadata

const (
	objects      = 100_000
	perNamespace = 1_000
	perOwner     = 100
)

var resource = schema.GroupResource{Group: "example.com", Resource: "things"}

func thingAt(i, version int) *thing {
	t := &thing{}
	t.Namespace = fmt.Sprintf("namespace-%d", i/perNamespace)
	t.Name = fmt.Sprintf("thing-%d", i)
	t.UID = types.UID(fmt.Sprintf("uid-%d", i))
	t.ResourceVersion = fmt.Sprint(version)
	t.Labels = map[string]string{"owner": fmt.Sprint(i / perOwner)}
	return t
}

func things(version int) []*thing {
	all := make([]*thing, objects)
	for i := range all {
		all[i] = thingAt(i, version)
	}
	return all
}

func owner(obj any) ([]string, error) { return []string{obj.(*thing).Labels["owner"]}, nil }

// theirStore is a client-go indexer with the objects and two indexes.
func theirStore(b *testing.B) clientgo.Indexer {
	b.Helper()
	indexer := clientgo.NewIndexer(clientgo.MetaNamespaceKeyFunc, clientgo.Indexers{
		clientgo.NamespaceIndex: clientgo.MetaNamespaceIndexFunc, "owner": owner,
	})
	if err := indexer.Replace(untyped(things(1)), "1"); err != nil {
		b.Fatal(err)
	}
	return indexer
}

func untyped(typed []*thing) []any {
	all := make([]any, len(typed))
	for i, t := range typed {
		all[i] = t
	}
	return all
}

// ourStore is the same on this runtime.
func ourStore(b *testing.B) *cache.Store[*thing] {
	b.Helper()
	store, err := cache.NewStore(func(t *thing) (types.NamespacedName, error) { return cache.KeyOf(t) },
		cache.NamespaceIndex[*thing](),
		cache.Index[*thing]{Name: "owner", Value: func(t *thing) string { return t.Labels["owner"] }})
	if err != nil {
		b.Fatal(err)
	}
	if err := store.Replace(things(1), "1"); err != nil {
		b.Fatal(err)
	}
	return store
}

// pair runs the same work on both.
func pair(b *testing.B, theirs, ours func(b *testing.B)) {
	b.Run("client-go", func(b *testing.B) { b.ReportAllocs(); theirs(b) })
	b.Run("informer-gen", func(b *testing.B) { b.ReportAllocs(); ours(b) })
}

func expect(b *testing.B, got, want int) {
	b.Helper()
	if got != want {
		b.Fatalf("got %d objects, want %d", got, want)
	}
}

func BenchmarkReads(b *testing.B) {
	theirStore, ourStore := theirStore(b), ourStore(b)
	theirs := listers.New[*thing](theirStore, resource)
	us := ourlisters.New[*thing](ours.TypedIndexerOf(ourStore), resource)
	const namespace = "namespace-7"
	inTheirs, inOurs := listers.NewNamespaced(theirs, namespace), ourlisters.NewNamespaced(us, namespace)

	list := func(list func(labels.Selector) ([]*thing, error), want int) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				got, _ := list(labels.Everything())
				expect(b, len(got), want)
			}
		}
	}
	b.Run("List=100000", func(b *testing.B) { pair(b, list(theirs.List, objects), list(us.List, objects)) })
	b.Run("ListNamespace=1000", func(b *testing.B) {
		pair(b, list(inTheirs.List, perNamespace), list(inOurs.List, perNamespace))
	})
	b.Run("ByIndex=100", func(b *testing.B) {
		pair(b, func(b *testing.B) {
			for b.Loop() {
				got, _ := theirStore.ByIndex("owner", "7")
				expect(b, len(got), perOwner)
			}
		}, func(b *testing.B) {
			for b.Loop() {
				got, _ := ourStore.ByIndex("owner", "7")
				expect(b, len(got), perOwner)
			}
		})
	})
	get := func(get func(string) (*thing, error)) func(*testing.B) {
		return func(b *testing.B) {
			for b.Loop() {
				if got, err := get("thing-7007"); err != nil || got == nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.Run("Get", func(b *testing.B) { pair(b, get(inTheirs.Get), get(inOurs.Get)) })
}

func BenchmarkWrites(b *testing.B) {
	b.Run("Update", func(b *testing.B) {
		next := things(2)
		pair(b, func(b *testing.B) {
			store := theirStore(b)
			i := 0
			for b.Loop() {
				_ = store.Update(next[i%objects])
				i++
			}
		}, func(b *testing.B) {
			store := ourStore(b)
			i := 0
			for b.Loop() {
				_ = store.Set(next[i%objects])
				i++
			}
		})
	})
	b.Run("Replace=100000", func(b *testing.B) {
		versions := [][]*thing{things(2), things(3)}
		pair(b, func(b *testing.B) {
			store := theirStore(b)
			for i := 0; b.Loop(); i++ {
				_ = store.Replace(untyped(versions[i%2]), "2")
			}
		}, func(b *testing.B) {
			store := ourStore(b)
			for i := 0; b.Loop(); i++ {
				_ = store.Replace(versions[i%2], "2")
			}
		})
	})
}

// listWatch serves nothing but the events of a channel.
type listWatch struct{ events chan watch.Event }

func (l listWatch) List(metav1.ListOptions) (runtime.Object, error) {
	return &metav1.PartialObjectMetadataList{ListMeta: metav1.ListMeta{ResourceVersion: "1"}}, nil
}

func (l listWatch) Watch(metav1.ListOptions) (watch.Interface, error) {
	return watch.NewProxyWatcher(l.events), nil
}

func (l listWatch) IsWatchListSemanticsUnSupported() bool { return true }

// BenchmarkFanout measures one event on its way from the watch to all handlers,
// through the same interface of both.
func BenchmarkFanout(b *testing.B) {
	for _, handlers := range []int{1, 10, 50} {
		b.Run(fmt.Sprintf("handlers=%d", handlers), func(b *testing.B) {
			pair(b,
				func(b *testing.B) { fanout(b, clientgo.NewSharedIndexInformer, handlers) },
				func(b *testing.B) { fanout(b, ours.NewSharedIndexInformer, handlers) })
		})
	}
}

const burst = 1000

func fanout(b *testing.B, newInformer newInformerFunc, handlers int) {
	lw := listWatch{events: make(chan watch.Event, burst)}
	informer := newInformer(lw, &thing{}, 0, clientgo.Indexers{})
	var seen sync.WaitGroup
	for range handlers {
		if _, err := informer.AddEventHandler(clientgo.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { seen.Done() },
			UpdateFunc: func(any, any) { seen.Done() },
		}); err != nil {
			b.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go informer.RunWithContext(ctx)
	clientgo.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	events := make([]*thing, burst)
	for i := range events {
		events[i] = thingAt(i, i+2)
	}
	version := 2
	b.ResetTimer()
	for n := b.N; n > 0; n -= burst {
		size := min(n, burst)
		seen.Add(size * handlers)
		for _, obj := range events[:size] {
			version++
			next := *obj
			next.ResourceVersion = fmt.Sprint(version)
			lw.events <- watch.Event{Type: watch.Modified, Object: &next}
		}
		seen.Wait()
	}
}

type newInformerFunc = func(clientgo.ListerWatcher, runtime.Object, time.Duration, clientgo.Indexers) clientgo.SharedIndexInformer
