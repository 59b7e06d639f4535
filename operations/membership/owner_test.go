package membership

import (
	"fmt"
	"math/rand/v2"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// cluster is objects by namespace and name.
type cluster map[string]*metav1.ObjectMeta

func (c cluster) add(name string, uid types.UID, owner *metav1.ObjectMeta) *metav1.ObjectMeta {
	obj := &metav1.ObjectMeta{Namespace: "shop", Name: name, UID: uid}
	if owner != nil {
		obj.OwnerReferences = []metav1.OwnerReference{
			{Name: "not the controller", UID: "other"},
			{Name: owner.Name, UID: owner.UID, Controller: new(true)},
		}
	}
	c[obj.Namespace+"/"+name] = obj
	return obj
}

func (c cluster) lookup(namespace string, owner metav1.OwnerReference) (metav1.Object, bool) {
	obj, ok := c[namespace+"/"+owner.Name]
	return obj, ok
}

// A Deployment, its ReplicaSets and their Pods meet in one of many shards, and others do not.
func TestByRootOwner(t *testing.T) {
	objects := cluster{}
	by := ByRootOwner(objects.lookup)
	shards := map[int]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	uid := func() types.UID { return types.UID(fmt.Sprintf("%016x-%016x", random.Uint64(), random.Uint64())) }
	for i := range 20 {
		name := fmt.Sprintf("web-%d", i)
		deployment := objects.add(name, uid(), nil)
		family := []*metav1.ObjectMeta{deployment}
		for j := range 2 {
			set := objects.add(fmt.Sprintf("%s-%d", name, j), uid(), deployment)
			family = append(family, set)
			for k := range 3 {
				family = append(family, objects.add(fmt.Sprintf("%s-%d", set.Name, k), uid(), set))
			}
		}
		for n, part := range shard.All().Split(16) {
			s := shard.New(by, part)
			for _, obj := range family {
				if s.Has(obj) != s.Has(deployment) {
					t.Errorf("%s is not in the shard of %s", obj.Name, name)
				}
			}
			if s.Has(deployment) {
				shards[n] = true
			}
		}
	}
	if len(shards) < 5 {
		t.Errorf("all are in %d of 16 shards", len(shards))
	}
	if by.Selector(shard.All().Split(2)[0]) != "" {
		t.Error("a server can't know it")
	}
}

// What can't be found does not count, and a circle has an end.
func TestByRootOwnerBroken(t *testing.T) {
	objects := cluster{}
	by := ByRootOwner(objects.lookup)
	gone := &metav1.ObjectMeta{Name: "gone", UID: "gone"}
	pod := objects.add("pod", "pod", gone)
	if got := by.Hash(pod); got != shard.Hash("gone") {
		t.Error("owner that does not exist: its UID should count")
	}
	objects.add("gone", "another one of that name", nil)
	if got := by.Hash(pod); got != shard.Hash("gone") {
		t.Error("owner of another UID: that of the reference should count")
	}
	a := objects.add("a", "a", &metav1.ObjectMeta{Name: "b", UID: "b"})
	objects.add("b", "b", a)
	if got := by.Hash(a); got != shard.Hash("a") && got != shard.Hash("b") {
		t.Error("circle: neither of the two")
	}
}
