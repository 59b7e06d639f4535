package membership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// maxOwners limits the owners above an object. A longer chain is a circle.
const maxOwners = 16

// ByRootOwner divides objects by the UID of their root owner, so that an object and everything that it owns
// are in one shard, such as a Deployment, its ReplicaSets and their Pods. It follows controller references
// to find the root owner. An object without a controller reference is its own root.
//
// A reference names the direct owner only. lookup returns the owner that a reference in a namespace names,
// or false if it does not exist. The owner may be cluster-scoped, and its metadata is enough. An owner with
// another UID than the reference's counts as not existing. The root's UID is the last UID that is known.
//
// All replicas must get the same result for an object, at any time: a replica that does not know an owner
// yet would assign the object to another shard. So lookup must ask the API server for owners that an
// informer's store does not have yet, and try again if that fails. It is called for every object, including
// the objects of other shards, and must be safe for concurrent use. See shard.ByFunc for its cost. If all
// objects have a label with the name of their root, shard.ByFunc with that label needs no lookup and can't
// be wrong.
//
// The owner of an object may change: an orphan is adopted. Informers compare the shard of an object at each
// of its events. An object that has left the shard is released. An object that has joined it is added by
// that event. If the owner's owner changed, the object has no event, and is added by the next list.
func ByRootOwner(lookup func(namespace string, owner metav1.OwnerReference) (metav1.Object, bool)) shard.By {
	return shard.ByFunc("root owner", func(obj metav1.Object) string {
		for range maxOwners {
			reference := metav1.GetControllerOfNoCopy(obj)
			if reference == nil {
				break
			}
			owner, ok := lookup(obj.GetNamespace(), *reference)
			if !ok || owner.GetUID() != reference.UID {
				return string(reference.UID)
			}
			obj = owner
		}
		return string(obj.GetUID())
	})
}
