package main

import (
	"fmt"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// thing is the cached object wherever its size does not matter.
type thing struct {
	metav1.PartialObjectMetadata
	// Owner is the value by which things are found.
	Owner string
}

// DeepCopyObject makes a thing a runtime.Object.
func (t *thing) DeepCopyObject() runtime.Object {
	c := *t
	t.DeepCopyInto(&c.PartialObjectMetadata)
	return &c
}

// thingList is a list of things.
type thingList struct {
	metav1.TypeMeta
	metav1.ListMeta
	Items []thing
}

// DeepCopyObject makes a list a runtime.Object.
func (l *thingList) DeepCopyObject() runtime.Object {
	c := *l
	c.Items = nil
	for i := range l.Items {
		c.Items = append(c.Items, *l.Items[i].DeepCopyObject().(*thing))
	}
	return &c
}

var (
	thingResource = schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "things"}

	// groupSizes are the numbers of things that have the first owner, the second and so on, and how many
	// are in the first namespaces; the others have the rest's.
	ownerSizes, restOfOwners         = []int{1, 100, 10_000}, 100
	namespaceSizes, restOfNamespaces = []int{100, 1_000, 10_000}, 1_000
)

// group returns the number of the group that the i-th thing is in.
func group(i int, sizes []int, rest int) int {
	for n, size := range sizes {
		if i < size {
			return n
		}
		i -= size
	}
	return len(sizes) + i/rest
}

func namespaceOf(group int) string { return "namespace-" + strconv.Itoa(group) }
func ownerOf(group int) string     { return "owner-" + strconv.Itoa(group) }

// complete reports whether so many things are enough for the whole of a group.
func complete(n, group int, sizes []int) bool {
	for _, size := range sizes[:group+1] {
		n -= size
	}
	return n >= 0
}

// made are the things that were needed so far. They are never changed.
var made []*thing

// things returns n things: always the same ones, which nobody may change.
func things(n int) []*thing {
	for i := len(made); i < n; i++ {
		made = append(made, newThing(i))
	}
	return made[:n:n]
}

// newThing returns the i-th thing. One of a hundred has the label percent=7.
func newThing(i int) *thing {
	t := &thing{Owner: ownerOf(group(i, ownerSizes, restOfOwners))}
	t.Namespace = namespaceOf(group(i, namespaceSizes, restOfNamespaces))
	t.Name = fmt.Sprintf("thing-%d", i)
	t.UID = types.UID(fmt.Sprintf("uid-%d", i))
	t.ResourceVersion = "1"
	t.Labels = percentLabels[i%100]
	return t
}

// percentLabels are shared by things: a million maps would keep the garbage
// collector busy between the measurements.
var percentLabels = func() (all [100]map[string]string) {
	for i := range all {
		all[i] = map[string]string{"percent": strconv.Itoa(i)}
	}
	return all
}()

// versionsOf returns the second and the third version of n things, which nobody
// may change. If move is true, each has other indexed values, but for the
// namespace.
func versionsOf(n int, move bool) [][]*thing {
	key := versionsKey{n, move}
	if versions[key] == nil {
		versions[key] = [][]*thing{next(things(n), 2, move), next(things(n), 3, move)}
	}
	return versions[key]
}

type versionsKey struct {
	n    int
	move bool
}

// versions are those that were needed so far.
var versions = map[versionsKey][][]*thing{}

func next(objs []*thing, version int, move bool) []*thing {
	all := make([]*thing, len(objs))
	for i, obj := range objs {
		t := *obj
		t.ResourceVersion = strconv.Itoa(version)
		if move {
			t.Owner = fmt.Sprintf("%d-%d", i/restOfOwners, version)
		}
		all[i] = &t
	}
	return all
}

func untyped(typed []*thing) []any {
	all := make([]any, len(typed))
	for i, t := range typed {
		all[i] = t
	}
	return all
}
