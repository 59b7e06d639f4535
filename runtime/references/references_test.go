package references_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
)

type configMap = *corev1.ConfigMap

var configMaps = corev1.SchemeGroupVersion.WithResource("configmaps")

func newConfigMap(namespace, name, value string) configMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Data:       map[string]string{"value": value},
	}
}

func names(all ...string) (keys []types.NamespacedName) {
	for _, name := range all {
		keys = append(keys, types.NamespacedName{Namespace: "shop", Name: name})
	}
	return keys
}

// following is an informer of a set of config maps of an API in memory.
type following struct {
	*testing.T
	api      *cachetest.API[configMap]
	client   *source.Client
	set      *references.Set
	informer *cache.Informer[configMap]
	seen     *cachetest.Recorder[configMap]
}

func follow(t *testing.T, set *references.Set, options references.Options, objects ...configMap) *following {
	t.Helper()
	server := cachetest.NewServer()
	f := &following{T: t, api: cachetest.ServeObjects(server, configMaps, objects...), set: set, seen: &cachetest.Recorder[configMap]{}}
	var err error
	if f.client, err = source.NewClient(&rest.Config{Host: "http://cachetest", Transport: server, QPS: -1}); err != nil {
		t.Fatal(err)
	}
	f.informer = cache.New(references.Source[configMap](f.client, configMaps, set, options), cache.Options[configMap]{})
	if _, err := f.informer.AddHandler(f.seen, cache.HandlerOptions{}); err != nil {
		t.Fatal(err)
	}
	f.run(f.informer.Run)
	return f
}

func (f *following) run(run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	f.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			f.Error(err)
		}
	})
}

// has checks that the store and the handler have the objects of the API that are in the set.
func (f *following) has() {
	f.Helper()
	want := map[string]string{}
	in := f.set.Names()
	for _, obj := range f.api.Objects() {
		if slices.Contains(in, types.NamespacedName{Namespace: obj.Namespace, Name: obj.Name}) {
			want[obj.Namespace+"/"+obj.Name] = obj.Data["value"]
		}
	}
	stored, seen := map[string]string{}, map[string]string{}
	for obj := range f.informer.Store().All() {
		stored[obj.Namespace+"/"+obj.Name] = obj.Data["value"]
	}
	for _, obj := range f.seen.View() {
		seen[obj.Namespace+"/"+obj.Name] = obj.Data["value"]
	}
	for what, got := range map[string]map[string]string{"store": stored, "handler": seen} {
		if fmt.Sprint(got) != fmt.Sprint(want) {
			f.Fatalf("the %s has %v, want %v", what, got, want)
		}
	}
}

func TestInformerOfNames(t *testing.T) {
	for name, options := range map[string]references.Options{"watches": {}, "metadata": {Watches: -1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := follow(t, references.NewSet(names("a", "b")...), options,
					newConfigMap("shop", "a", "1"), newConfigMap("shop", "c", "1"), newConfigMap("other", "a", "1"))
				if err := f.informer.WaitForSync(t.Context()); err != nil {
					t.Fatal(err)
				}
				f.has()
				time.Sleep(time.Minute)
				for _, change := range []func() error{
					func() error { _, err := f.api.Create(newConfigMap("shop", "b", "1")); return err },
					func() error { _, err := f.api.Update(newConfigMap("shop", "b", "2")); return err },
					func() error { _, err := f.api.Update(newConfigMap("shop", "c", "2")); return err },
					func() error { f.set.Add(names("c")...); return nil },
					func() error { _, err := f.api.Update(newConfigMap("shop", "c", "3")); return err },
					func() error { _, err := f.api.Delete(names("b")[0]); return err },
					func() error { f.set.Remove(names("a")...); return nil },
				} {
					if err := change(); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Second)
					f.has()
				}
				status := f.informer.Status()
				if n := status.Names; n == nil || n.Followed != 2 || n.Known != 2 || n.Absent != 1 || (n.ByMetadata == 2) != (options.Watches < 0) {
					t.Errorf("status: %+v", status.Names)
				}
				for key, known := range map[types.NamespacedName]bool{names("a")[0]: false, names("b")[0]: true, names("c")[0]: true} {
					_, exists, err := f.informer.Get(t.Context(), key)
					if (err == nil) != known || err != nil && !errors.Is(err, failure.ErrUnknown) || exists != (key.Name == "c") {
						t.Errorf("%v: got %v, %v", key, exists, err)
					}
				}
				if lists := len(f.api.Requests()); lists > 20 {
					t.Errorf("%d requests", lists)
				}
			})
		})
	}
}

// Whatever happens to objects, the set and requests: in the end the informer has what the server has
// of the set.
func TestRandomScripts(t *testing.T) {
	seeds := 100
	if testing.Short() {
		seeds = 10
	}
	for seed := range uint64(seeds) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 33))
				f := follow(t, references.NewSet(), references.Options{Watches: random.IntN(9) - 1})
				if random.IntN(2) == 0 {
					f.api.FailRandomly(cachetest.Chaos{Seed: seed, Rate: 0.2})
				}
				name := func() string { return fmt.Sprint("object-", random.IntN(16)) }
				for step := range 300 {
					switch random.IntN(12) {
					case 0, 1:
						f.set.Add(names(name())...)
					case 2:
						all := f.set.Names()
						if len(all) > 0 {
							f.set.Remove(all[random.IntN(len(all))])
						}
					case 3, 4:
						_, _ = f.api.Create(newConfigMap("shop", name(), fmt.Sprint(step)))
					case 5, 6:
						_, _ = f.api.Update(newConfigMap("shop", name(), fmt.Sprint(step)))
					case 7:
						_, _ = f.api.Delete(names(name())[0])
					case 8:
						f.api.CloseWatches()
					case 9:
						f.api.Fail(cachetest.Fault{Times: 1 + random.IntN(3), Err: cachetest.ErrConnectionRefused})
					case 10:
						f.api.Compact()
					case 11:
						time.Sleep(time.Duration(random.IntN(200)) * time.Second)
					}
					if random.IntN(4) == 0 {
						time.Sleep(time.Duration(random.IntN(3000)) * time.Millisecond)
					}
				}
				f.api.ClearFaults()
				time.Sleep(15 * time.Minute)
				f.has()
				for _, key := range f.set.Names() {
					if _, _, err := f.informer.Get(t.Context(), key); err != nil {
						t.Error(err)
					}
				}
			})
		})
	}
}

// A server that closes watches at once, or never answers, is not asked all the time.
func TestBadServer(t *testing.T) {
	for name, fault := range map[string]cachetest.Fault{
		"closes watches":  {Verb: cachetest.Watch, Times: -1, Opened: true, Err: io.EOF},
		"refuses watches": {Verb: cachetest.Watch, Times: -1, Err: cachetest.Status(503)},
		"hangs":           {Verb: cachetest.Watch, Times: -1, Hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := follow(t, references.NewSet(names("a", "b", "c")...), references.Options{Watches: -1}, newConfigMap("shop", "a", "1"))
				f.api.Fail(fault)
				f.api.CloseWatches()
				time.Sleep(time.Second)
				f.api.ResetRequests()
				time.Sleep(time.Hour)
				// Each name tries again after 45 seconds on average, with three requests.
				if n := len(f.api.Requests()); n > 3*3*(80+20) {
					t.Errorf("%d requests in an hour", n)
				}
				f.api.ClearFaults()
				if _, err := f.api.Update(newConfigMap("shop", "a", "2")); err != nil {
					t.Fatal(err)
				}
				time.Sleep(10 * time.Minute)
				f.has()
			})
		})
	}
}

// When Run returns, nothing that the source has begun goes on, whatever it waits for.
func TestNothingOutlivesRun(t *testing.T) {
	for name, fault := range map[string]cachetest.Fault{
		"the version is slow":           {Verb: cachetest.List, If: ofMetadata, Times: -1, Delay: 26 * time.Second},
		"the watch is slow":             {Verb: cachetest.Watch, If: ofMetadata, Times: -1, Delay: 26 * time.Second},
		"the watch is closed each time": {Verb: cachetest.Watch, If: ofMetadata, Times: -1, Opened: true, Err: io.EOF},
		"all is well":                   {If: func(cachetest.Request) bool { return false }, Err: io.EOF},
	} {
		for _, stopAfter := range []time.Duration{time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute} {
			t.Run(fmt.Sprint(name, ", stopped after ", stopAfter), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := cachetest.NewServer()
					api := cachetest.ServeObjects(server, configMaps, newConfigMap("shop", "a", "1"))
					client, err := source.NewClient(&rest.Config{Host: "http://cachetest", Transport: server, QPS: -1})
					if err != nil {
						t.Fatal(err)
					}
					api.Fail(fault)
					informer := cache.New(references.Source[configMap](client, configMaps, references.NewSet(names("a", "b")...), references.Options{Watches: -1}), cache.Options[configMap]{})
					ctx, stop := context.WithTimeout(t.Context(), stopAfter)
					defer stop()
					if err := informer.Run(ctx); err != nil {
						t.Error(err)
					}
					before := len(api.Requests())
					time.Sleep(time.Hour)
					if after := len(api.Requests()); after != before {
						t.Errorf("%d requests after the end", after-before)
					}
				})
			})
		}
	}
}

// ofMetadata tells requests for the metadata of a namespace from those for the object of a name.
func ofMetadata(r cachetest.Request) bool { return r.Options.FieldSelector == "" }

// Names of a resource that the server does not have are one request every ten seconds, however many
// there are, until it has the resource.
func TestAbsentResourceOfManyNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := references.NewSet()
		for i := range 200 {
			set.Add(names(fmt.Sprint("object-", i))...)
		}
		f := follow(t, set, references.Options{}, newConfigMap("shop", "object-7", "1"))
		f.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(404)})
		f.api.CloseWatches()
		time.Sleep(10 * time.Minute) // and all names know of it
		before := len(f.api.Requests())
		time.Sleep(10 * time.Minute)
		if n := len(f.api.Requests()) - before; n < 40 || n > 61 {
			t.Errorf("%d requests in ten minutes", n)
		}
		f.api.ClearFaults()
		time.Sleep(time.Minute)
		f.has()
		if n := f.informer.Status().Names; n.Failing != 0 || n.Known != 200 {
			t.Errorf("status: %+v", n)
		}
	})
}

// A name that the server refuses is not requested for ever, if nobody asks for it any more.
func TestRefusedNamesAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := follow(t, references.NewSetOnDemand(10), references.Options{}, newConfigMap("shop", "a", "1"))
		f.api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(403), If: func(r cachetest.Request) bool { return strings.Contains(r.Options.FieldSelector, "secret") }})
		for range 10 {
			for _, name := range names("a", "secret") {
				if _, exists, err := f.informer.Get(t.Context(), name); exists != (name.Name == "a") || (name.Name == "secret") != apierrors.IsForbidden(err) {
					t.Errorf("%v: got %v, %v", name, exists, err)
				}
			}
			time.Sleep(time.Minute)
		}
		if got := sorted(f.set); got != "a secret" {
			t.Errorf("asked for lately: %q", got)
		}
		time.Sleep(time.Hour)
		if got := sorted(f.set); got != "a" {
			t.Errorf("an hour later: %q", got)
		}
	})
}

// A read of a set on demand is right, however the set changes meanwhile, and says that an object does not
// exist only if that is so. The first names always exist.
func TestRandomReadsOnDemand(t *testing.T) {
	for seed := range uint64(100) {
		t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				random := rand.New(rand.NewPCG(seed, 34))
				const all, permanent = 12, 4
				var objects []configMap
				for i := range permanent {
					objects = append(objects, newConfigMap("shop", fmt.Sprint("object-", i), "0"))
				}
				f := follow(t, references.NewSetOnDemand(1+random.IntN(all)), references.Options{Watches: random.IntN(9) - 1}, objects...)
				faults := random.IntN(2) == 0
				if faults {
					f.api.FailRandomly(cachetest.Chaos{Seed: seed, Rate: 0.2})
				}
				for step := range 300 {
					i := random.IntN(all)
					key := names(fmt.Sprint("object-", i))[0]
					switch random.IntN(8) {
					case 0:
						_, _ = f.api.Create(newConfigMap("shop", key.Name, fmt.Sprint(step)))
					case 1:
						_, _ = f.api.Update(newConfigMap("shop", key.Name, fmt.Sprint(step)))
					case 2:
						if i >= permanent {
							_, _ = f.api.Delete(key)
						}
					case 3:
						f.api.CloseWatches()
					case 4:
						time.Sleep(time.Duration(random.IntN(200)) * time.Second)
					default:
						time.Sleep(30 * time.Second) // a watch that was closed at once is opened later
						got, exists, err := f.informer.Get(t.Context(), key)
						want, wantErr := f.api.Get(key)
						switch {
						case err != nil && !faults, err == nil && !exists && i < permanent:
							t.Fatalf("step %d: %v: got %v, %v", step, key, exists, err)
						case err == nil && !faults && (exists != (wantErr == nil) || exists && got.Data["value"] != want.Data["value"]):
							t.Fatalf("step %d: %v: got %v, %v; the server has %v", step, key, got, exists, want)
						}
					}
				}
			})
		})
	}
}
