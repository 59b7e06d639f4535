// Package indexed_test finds objects by the indexes of generated listers.
package indexed_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/source"
	v1 "github.com/informer-gen/informer-gen/testdata/indexed/api/v1"
	"github.com/informer-gen/informer-gen/testdata/indexed/generated/informers"
	fleetinformers "github.com/informer-gen/informer-gen/testdata/indexed/generated/informers/fleet/v1"
	fleetlisters "github.com/informer-gen/informer-gen/testdata/indexed/generated/listers/fleet/v1"
)

// lookup is an index with its two methods, and with the values that it should have.
type lookup struct {
	index  string
	values func(*v1.Machine) []string
	find   func(fleetlisters.MachineIndexLister, string) ([]*v1.Machine, error)
	all    func(fleetlisters.MachineIndexLister, string) iter.Seq[*v1.Machine]
}

type finder = fleetlisters.MachineIndexLister

func number(value string) int {
	n, _ := strconv.Atoi(value)
	return n
}

var lookups = []lookup{
	{"byZone", func(m *v1.Machine) []string { return []string{m.Spec.Zone} }, finder.ByZone, finder.AllByZone},
	{
		"bySize", func(m *v1.Machine) []string { return []string{string(m.Spec.Size)} },
		func(l finder, value string) ([]*v1.Machine, error) { return l.BySize(v1.Size(value)) },
		func(l finder, value string) iter.Seq[*v1.Machine] { return l.AllBySize(v1.Size(value)) },
	},
	{
		"bySlots", func(m *v1.Machine) []string { return []string{fmt.Sprint(m.Spec.Slots)} },
		func(l finder, value string) ([]*v1.Machine, error) { return l.BySlots(uint16(number(value))) },
		func(l finder, value string) iter.Seq[*v1.Machine] { return l.AllBySlots(uint16(number(value))) },
	},
	{
		"byPaused", func(m *v1.Machine) []string { return []string{fmt.Sprint(m.Spec.Paused)} },
		func(l finder, value string) ([]*v1.Machine, error) { return l.ByPaused(value == "true") },
		func(l finder, value string) iter.Seq[*v1.Machine] { return l.AllByPaused(value == "true") },
	},
	{"byPool", func(m *v1.Machine) []string {
		if m.Spec.PoolName == nil {
			return nil
		}
		return []string{*m.Spec.PoolName}
	}, finder.ByPool, finder.AllByPool},
	{
		"byTag", func(m *v1.Machine) (tags []string) {
			for _, tag := range m.Spec.Tags {
				tags = append(tags, string(tag))
			}
			return tags
		},
		func(l finder, value string) ([]*v1.Machine, error) { return l.ByTag(v1.Tag(value)) },
		func(l finder, value string) iter.Seq[*v1.Machine] { return l.AllByTag(v1.Tag(value)) },
	},
	{"bySecret", func(m *v1.Machine) (secrets []string) {
		for _, credential := range m.Spec.Credentials {
			secrets = append(secrets, credential.Name)
		}
		return secrets
	}, finder.BySecret, finder.AllBySecret},
	{
		"byRackUnit", func(m *v1.Machine) []string {
			if m.Spec.Rack == nil {
				return nil
			}
			return []string{fmt.Sprint(m.Spec.Rack.Unit)}
		},
		func(l finder, value string) ([]*v1.Machine, error) { return l.ByRackUnit(int32(number(value))) },
		func(l finder, value string) iter.Seq[*v1.Machine] { return l.AllByRackUnit(int32(number(value))) },
	},
	{"byDiskClass", func(m *v1.Machine) (classes []string) {
		for _, disk := range m.Spec.Disks {
			classes = append(classes, disk.Class)
		}
		return classes
	}, finder.ByDiskClass, finder.AllByDiskClass},
	{"byAddresses", func(m *v1.Machine) (addresses []string) {
		for _, network := range m.Spec.Networks {
			if network != nil {
				addresses = slices.Concat(addresses, network.Interfaces[0].Addresses, network.Interfaces[1].Addresses)
			}
		}
		return addresses
	}, finder.ByAddresses, finder.AllByAddresses},
	{
		"byOwnerUID", func(m *v1.Machine) []string { return []string{string(m.Status.OwnerUID)} },
		func(l finder, value string) ([]*v1.Machine, error) { return l.ByOwnerUID(types.UID(value)) },
		func(l finder, value string) iter.Seq[*v1.Machine] { return l.AllByOwnerUID(types.UID(value)) },
	},
	{"byTeam", func(m *v1.Machine) []string { return []string{m.Labels["team"]} }, finder.ByTeam, finder.AllByTeam},
	{"byCondition", func(m *v1.Machine) []string { return m.Status.Conditions }, finder.ByCondition, finder.AllByCondition},
}

// machine has values of a small set, of which some are empty or missing.
func machine(r *rand.Rand, name int) *v1.Machine {
	word := func() string { return []string{"", "a", "b", "c"}[r.IntN(4)] }
	words := func() (all []string) {
		for range r.IntN(4) {
			all = append(all, word())
		}
		return all
	}
	m := &v1.Machine{
		ObjectMeta: metav1.ObjectMeta{Namespace: []string{"one", "two"}[name%2], Name: fmt.Sprint("machine-", name), Labels: map[string]string{"team": word()}},
		Spec:       v1.MachineSpec{Zone: word(), Size: v1.Size(word()), Slots: uint16(r.IntN(3)), Paused: r.IntN(2) == 0},
		Status:     v1.MachineStatus{OwnerUID: types.UID(word()), Conditions: words()},
	}
	for _, tag := range words() {
		m.Spec.Tags, m.Spec.Disks = append(m.Spec.Tags, v1.Tag(tag)), append(m.Spec.Disks, v1.Disk{Class: word()})
	}
	for _, secret := range words() {
		m.Spec.Credentials = append(m.Spec.Credentials, corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: secret}, Key: word()})
	}
	if r.IntN(2) == 0 {
		pool := word()
		m.Spec.PoolName, m.Spec.Rack = &pool, &v1.Rack{Unit: int32(r.IntN(3) - 1)}
		m.Spec.Networks = map[string]*v1.Network{"empty": nil, "full": {Interfaces: [2]v1.Interface{{Addresses: words()}, {Addresses: words()}}}}
	}
	return m
}

func names(machines iter.Seq[*v1.Machine]) string {
	var all []string
	for m := range machines {
		all = append(all, m.Namespace+"/"+m.Name)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// check compares every lookup of a lister with a plain filter.
func check(t *testing.T, where string, lister fleetlisters.MachineLister, machines []*v1.Machine) {
	t.Helper()
	for namespace, in := range map[string]finder{"": lister, "one": lister.Machines("one"), "none": lister.Machines("none")} {
		for _, lookup := range lookups {
			for _, value := range []string{"", "a", "b", "unknown", "-1", "0", "1", "true", "false"} {
				if got := lookup.canonical(value); got != value {
					continue // of another type
				}
				want := names(func(yield func(*v1.Machine) bool) {
					for _, m := range machines {
						if (namespace == "" || m.Namespace == namespace) && slices.Contains(lookup.values(m), value) {
							yield(m)
						}
					}
				})
				found, err := lookup.find(in, value)
				if got := names(slices.Values(found)); got != want || err != nil {
					t.Errorf("%s: %s of %q in %q: %s, %v; want %s", where, lookup.index, value, namespace, got, err, want)
				}
				if got := names(lookup.all(in, value)); got != want {
					t.Errorf("%s: all %s of %q in %q: %s; want %s", where, lookup.index, value, namespace, got, want)
				}
			}
		}
	}
}

// canonical is what a value is after a conversion to the type of the index's values.
func (l lookup) canonical(value string) string {
	switch l.index {
	case "bySlots":
		return fmt.Sprint(uint16(number(value)))
	case "byRackUnit":
		return fmt.Sprint(number(value))
	case "byPaused":
		return fmt.Sprint(value == "true")
	}
	return value
}

func connect(t testing.TB, machines *cachetest.API[*v1.Machine], zones *cachetest.API[*v1.Zone]) *source.Client {
	t.Helper()
	server := cachetest.NewServer()
	cachetest.Serve(server, v1.GroupVersion.WithResource("machines"), "Machine", machines)
	cachetest.Serve(server, v1.GroupVersion.WithResource("zones"), "Zone", zones)
	client, err := source.NewClient(&rest.Config{Host: "http://in-memory", Transport: server})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// indexers are those that a lister may get: of an informer with the indexes, of client-go,
// and of this module, without and with indexes of client-go's form.
func indexers(informer toolscache.Indexer) map[string]toolscache.Indexer {
	functions := func() toolscache.Indexers {
		functions := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
		for _, lookup := range lookups {
			functions[lookup.index] = func(obj any) ([]string, error) { return lookup.values(obj.(*v1.Machine)), nil }
		}
		return functions
	}
	return map[string]toolscache.Indexer{
		"informer":            informer,
		"wrapped informer":    struct{ toolscache.Indexer }{informer},
		"client-go":           toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, functions()),
		"client-go, no index": toolscache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{}),
		"untyped":             cache.NewIndexer(toolscache.MetaNamespaceKeyFunc, functions()),
		"untyped, no index":   cache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{}),
	}
}

// Whatever happens to the objects, listers over any indexer find those that a plain filter
// finds.
func TestFindAsAFilterDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, seed))
			api := cachetest.NewAPI[*v1.Machine]()
			f := informers.NewSharedInformerFactory(connect(t, api, cachetest.NewAPI[*v1.Zone]()), 0)
			defer f.Shutdown()
			informer := f.Fleet().V1().Machines()
			all := indexers(informer.Informer().GetIndexer())
			f.StartWithContext(t.Context())
			if err := f.WaitForSync(t.Context()); err != nil {
				t.Fatal(err)
			}
			machines := map[int]*v1.Machine{}
			for range 6 {
				for range 10 {
					change(t, r, api, machines)
				}
				synctest.Wait()
				var list []*v1.Machine
				var objs []any
				for _, m := range machines {
					list, objs = append(list, m), append(objs, m)
				}
				for name, indexer := range all {
					if !strings.Contains(name, "informer") {
						if err := indexer.Replace(objs, ""); err != nil {
							t.Fatal(err)
						}
					}
					check(t, name, fleetlisters.NewMachineLister(indexer), list)
				}
			}
		})
	}
}

// change creates, updates or deletes a machine.
func change(t *testing.T, r *rand.Rand, api *cachetest.API[*v1.Machine], machines map[int]*v1.Machine) {
	t.Helper()
	name := r.IntN(20)
	m, err := machine(r, name), error(nil)
	switch {
	case machines[name] == nil:
		_, err = api.Create(m)
	case r.IntN(3) == 0:
		_, err = api.Delete(types.NamespacedName{Namespace: m.Namespace, Name: m.Name})
		m = nil
	default:
		_, err = api.Update(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if machines[name] = m; m == nil {
		delete(machines, name)
	}
}

// Informers have the indexes when they are made: those of a factory, and others.
func TestInformersHaveIndexes(t *testing.T) {
	t.Parallel()
	client := connect(t, cachetest.NewAPI[*v1.Machine](), cachetest.NewAPI[*v1.Zone]())
	f := informers.NewSharedInformerFactory(client, 0)
	own := toolscache.Indexers{"own": func(any) ([]string, error) { return nil, nil }}
	for name, informer := range map[string]toolscache.SharedIndexInformer{
		"factory":     f.Fleet().V1().Machines().Informer(),
		"constructor": fleetinformers.NewMachineInformer(client, "", 0, own),
		"typed":       fleetinformers.NewTypedMachineInformer(client, "", 0, nil),
	} {
		for _, lookup := range lookups {
			if informer.GetIndexer().GetIndexers()[lookup.index] == nil {
				t.Errorf("%s: no index %s", name, lookup.index)
			}
		}
	}
	zones := f.Fleet().V1().Zones()
	if zones.Informer().GetIndexer().GetIndexers()["byCountry"] == nil {
		t.Error("no index byCountry")
	}
	zone := &v1.Zone{ObjectMeta: metav1.ObjectMeta{Name: "north"}, Country: "here"}
	if err := zones.Informer().GetIndexer().Add(zone); err != nil {
		t.Fatal(err)
	}
	if found, err := zones.Lister().ByCountry("here"); err != nil || len(found) != 1 || found[0] != zone {
		t.Errorf("zones: %v, %v", found, err)
	}
}

// An index of the options replaces the generated one of that name.
func TestOwnIndexOfThatName(t *testing.T) {
	t.Parallel()
	client := connect(t, cachetest.NewAPI[*v1.Machine](), cachetest.NewAPI[*v1.Zone]())
	everywhere := toolscache.Indexers{"byZone": func(any) ([]string, error) { return []string{"everywhere"}, nil }}
	indexer := fleetinformers.NewMachineInformer(client, "", 0, everywhere).GetIndexer()
	if err := indexer.Add(&v1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: v1.MachineSpec{Zone: "north"}}); err != nil {
		t.Fatal(err)
	}
	if found, err := fleetlisters.NewMachineLister(indexer).ByZone("everywhere"); err != nil || len(found) != 1 {
		t.Errorf("%v, %v", found, err)
	}
}

// A loop over an iterator may end early, and be run again.
func TestIterationEndsEarly(t *testing.T) {
	t.Parallel()
	for _, indexer := range indexers(cache.NewIndexer(toolscache.MetaNamespaceKeyFunc, toolscache.Indexers{})) {
		for i := range 3 {
			if err := indexer.Add(&v1.Machine{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(i)}, Spec: v1.MachineSpec{Zone: "north"}}); err != nil {
				t.Fatal(err)
			}
		}
		north := fleetlisters.NewMachineLister(indexer).AllByZone("north")
		for range 2 {
			n := 0
			for range north {
				n++
				break
			}
			if n != 1 {
				t.Errorf("%d iterations, want 1", n)
			}
		}
	}
}

// A single value of a field needs no memory, nor do its text and an iteration; a list of what
// is found needs one slice.
func TestAllocations(t *testing.T) {
	m := &v1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m"}, Spec: v1.MachineSpec{Zone: "north", Size: "large", Slots: 7, Paused: true}}
	for _, index := range []listers.Index[*v1.Machine]{
		fleetlisters.MachineByZone, fleetlisters.MachineBySize, fleetlisters.MachineBySlots, fleetlisters.MachineByPaused, fleetlisters.MachineByTeam, fleetlisters.MachineByOwnerUID,
	} {
		if got := testing.AllocsPerRun(100, func() { index.Value(m) }); got != 0 {
			t.Errorf("%s: %v allocations, want none", index.Name, got)
		}
	}
	client := connect(t, cachetest.NewAPI[*v1.Machine](), cachetest.NewAPI[*v1.Zone]())
	informer := fleetinformers.NewTypedMachineInformer(client, "", 0, nil)
	if err := informer.GetIndexer().Add(m); err != nil {
		t.Fatal(err)
	}
	lister := fleetlisters.NewMachineLister(informer.GetIndexer())
	if got := testing.AllocsPerRun(100, func() { _, _ = lister.ByZone("north") }); got != 1 {
		t.Errorf("ByZone: %v allocations, want 1", got)
	}
	// The handle finds what the lister finds.
	store := factory.Core(informer).Store()
	for _, index := range []listers.Index[*v1.Machine]{fleetlisters.MachineByZone, fleetlisters.MachineByTag} {
		if _, err := factory.CoreIndex(index).Find(store, "north"); err != nil {
			t.Error(err)
		}
	}
}
