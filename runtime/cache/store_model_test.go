package cache

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// thing is the object type of this package's tests.
type thing = metav1.PartialObjectMetadata

func newThing(namespace, name, version string, labels ...string) *thing {
	t := &thing{}
	t.Namespace, t.Name, t.ResourceVersion = namespace, name, version
	t.UID = types.UID(namespace + "/" + name)
	if len(labels) > 0 {
		t.Labels = map[string]string{}
		for _, l := range labels {
			t.Labels[l] = ""
		}
	}
	return t
}

// byLabel has as many values as the object has labels, in any order, and one twice.
var byLabel = Index[*thing]{Name: "label", Values: func(obj *thing) ([]string, error) {
	values := slices.Collect(maps.Keys(obj.Labels))
	if len(values) > 2 {
		values = append(values, values[0])
	}
	return values, nil
}}

// byInitial has one.
var byInitial = Index[*thing]{Name: "initial", Value: func(obj *thing) string { return obj.Name[:1] }}

// model is a store as it is meant to be: a map.
type model map[types.NamespacedName]*thing

func (m model) where(match func(*thing) bool) []string {
	var keys []string
	for key, obj := range m {
		if match(obj) {
			keys = append(keys, objectString(key, obj))
		}
	}
	slices.Sort(keys)
	return keys
}

func objectString(key types.NamespacedName, obj *thing) string {
	return key.String() + "@" + obj.ResourceVersion
}

func describeAll(objects []*thing) []string {
	var all []string
	for _, obj := range objects {
		key, _ := KeyOf(obj)
		all = append(all, objectString(key, obj))
	}
	slices.Sort(all)
	return all
}

// check compares everything that can be asked of a store with the model.
func (m model) check(t *testing.T, s *Store[*thing]) {
	t.Helper()
	compare := func(what string, want, got []string) {
		t.Helper()
		if !slices.Equal(want, got) {
			t.Fatalf("%s (-want +got):\n%s", what, cmp.Diff(want, got))
		}
	}
	all := m.where(func(*thing) bool { return true })
	compare("List", all, describeAll(s.List()))
	compare("All", all, describeAll(slices.Collect(s.All())))
	if s.Len() != len(m) {
		t.Fatalf("Len: got %d, want %d", s.Len(), len(m))
	}
	checkTable(t, s)
	for key, obj := range m {
		if got, ok := s.Get(key); !ok || got != obj {
			t.Fatalf("Get(%v): got %v, %v", key, got, ok)
		}
	}
	for _, namespace := range []string{"a", "b", "c"} {
		want := m.where(func(obj *thing) bool { return obj.Namespace == namespace })
		compare("ListNamespace", want, describeAll(s.ListNamespace(namespace)))
		compare("Namespace", want, describeAll(slices.Collect(s.Namespace(namespace))))
	}
	for _, index := range s.Indexes() {
		m.checkIndex(t, s, index, compare)
	}
}

func (m model) checkIndex(t *testing.T, s *Store[*thing], index Index[*thing], compare func(string, []string, []string)) {
	t.Helper()
	byValue := map[string][]string{}
	for key, obj := range m {
		values, err := index.of(nil, obj)
		if err != nil {
			t.Fatal(err)
		}
		slices.Sort(values)
		values = slices.Compact(values)
		for _, v := range values {
			byValue[v] = append(byValue[v], objectString(key, obj))
		}
	}
	values, err := s.IndexValues(index.Name)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(values)
	compare("IndexValues", slices.Sorted(maps.Keys(byValue)), values)
	found, err := s.ByIndexAny(index.Name, append(values, "unknown")...)
	if err != nil {
		t.Fatal(err)
	}
	once := slices.Compact(slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Values(byValue))...))))
	compare("ByIndexAny", once, describeAll(found))
	for v, want := range byValue {
		slices.Sort(want)
		got, err := s.ByIndex(index.Name, v)
		if err != nil {
			t.Fatal(err)
		}
		compare("ByIndex", want, describeAll(got))
		keys, err := s.IndexKeys(index.Name, v)
		if err != nil || len(keys) != len(want) {
			t.Fatalf("IndexKeys(%q): %v, %v; want %v", v, keys, err, want)
		}
	}
}

func checkTable[T any](t *testing.T, s *Store[T]) {
	t.Helper()
	if err := s.core.table.Check(); err != nil {
		t.Fatal(err)
	}
}

// storeScript does what bytes say to a store and to the model, and compares
// them after each step.
func storeScript(t *testing.T, script []byte) {
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) { return KeyOf(obj) }, byLabel)
	if err != nil {
		t.Fatal(err)
	}
	m := model{}
	snapshots := map[string]Snapshot[*thing]{}
	version := 0
	object := func(b byte) *thing {
		version++
		labels := strings.Split("x y z xy", " ")[:b%5%4]
		return newThing(string('a'+rune(b>>4%3)), string('p'+rune(b%7))+"1", fmt.Sprint(version), labels...)
	}
	extra := []Index[*thing]{NamespaceIndex[*thing](), byInitial}
	for i := 0; i+1 < len(script); i += 2 {
		op, arg := script[i], script[i+1]
		switch op % 8 {
		case 0, 1, 2:
			obj := object(arg)
			key, _ := KeyOf(obj)
			m[key] = obj
			if err := store.Set(obj); err != nil {
				t.Fatal(err)
			}
		case 3, 4:
			key, _ := KeyOf(object(arg))
			_, existed := store.Delete(key)
			if _, want := m[key]; existed != want {
				t.Fatalf("Delete(%v): %v, want %v", key, existed, want)
			}
			delete(m, key)
		case 5:
			list := store.List()
			list = list[:len(list)*int(arg%3)/2]
			for n := range int(arg % 5) {
				list = append(list, object(arg+byte(n)))
			}
			clear(m)
			for _, obj := range list {
				key, _ := KeyOf(obj)
				m[key] = obj
			}
			if err := store.Replace(list, fmt.Sprint(version)); err != nil {
				t.Fatal(err)
			}
		case 6:
			if len(extra) > 0 {
				if err := store.AddIndexes(extra[0]); err != nil {
					t.Fatal(err)
				}
				extra = extra[1:]
			}
		case 7:
			// A reader's snapshot must stay what it was.
			snapshot := store.Snapshot()
			if len(snapshots) == 3 {
				clear(snapshots)
			}
			snapshots[strings.Join(describeAll(slices.Collect(snapshot.All())), " ")] = snapshot
		}
		m.check(t, store.Store)
		for want, snapshot := range snapshots {
			if got := strings.Join(describeAll(slices.Collect(snapshot.All())), " "); got != want {
				t.Fatalf("snapshot changed: got %s, want %s", got, want)
			}
		}
	}
}

func FuzzStore(f *testing.F) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 0))
		script := make([]byte, 120)
		for i := range script {
			script[i] = byte(random.Uint32())
		}
		f.Add(script)
	}
	f.Fuzz(storeScript)
}
