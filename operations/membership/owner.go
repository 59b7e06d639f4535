package membership

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/shard"
)

// maxOwners limits how many owners there are above an object: more are a circle.
const maxOwners = 16

// ByRootOwner divides objects by the UID of their root owner, so that an object and all that it
// owns are in one shard, such as a Deployment, its ReplicaSets and their Pods. The root owner is
// found from controller reference to controller reference. An object without one is its own root.
//
// A reference names the direct owner only. Lookup returns the owner that a reference in a
// namespace names, which may have no namespace itself; false if it does not exist. Metadata is
// enough. An owner with another UID than the reference's counts as one that does not exist. The
// last UID that is known is that of the root.
//
// All replicas must get the same answer for an object, at any time: a replica that does not know
// an owner yet would take the object for another one's. So lookup has to ask the API server for
// owners that the store of an informer does not have yet, and try again if that fails. It is called
// for every object, also for those of other shards, and must be safe for concurrent use. See
// shard.ByFunc for what that costs. If all objects have a label with the name of their root, shard.ByFunc
// with that label needs no lookup and can't be wrong.
//
// The owner of an object may change: an orphan is adopted. Informers compare the shard of an
// object at each of its events. One that has moved away is released; one that has moved here is
// added by that event, or by the next list if it was the owner's owner that changed, of which
// the object has no event.
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
