// Package pods has the objects that the benchmarks of ingest read: pods as an API server sends them, of
// deployments with a hundred replicas each, about 13 KB in JSON.
package pods

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Population is the pods of a cluster. The same one always has the same pods.
type Population struct {
	// Size is the number of pods.
	Size int
	// FixedVolumes gives the volume with the token of the service account the same name
	// in all pods of a deployment. The API server chooses one at random for each pod,
	// so that no two pods have the same containers.
	FixedVolumes bool
	// Distinct gives pods nothing in common: all strings, numbers and times differ, but
	// for the namespace and the names of fields.
	Distinct bool
}

const (
	// replicas is the number of pods of a deployment.
	replicas = 100
	// podsPerNode is the number of pods of one node.
	podsPerNode = 50
	// firstVersion is the resourceVersion of the first pod.
	firstVersion = 1_000_000
)

// ListVersion returns the resourceVersion of the whole, before it changes.
func (p Population) ListVersion() string { return strconv.Itoa(firstVersion + p.Size) }

// ChangeVersion returns the resourceVersion of the i-th change.
func (p Population) ChangeVersion(i int) string { return strconv.Itoa(firstVersion + p.Size + 1 + i) }

// Pod returns the i-th pod, as it is before it changes.
func (p Population) Pod(i int) *v1.Pod {
	random := rand.New(rand.NewPCG(uint64(i), 1))
	d := newDeployment(i / replicas)
	pod := d.pod(i%replicas, random)
	pod.CreationTimestamp = metav1.NewTime(epoch.Add(time.Duration(i) * time.Second))
	spec := specFieldsOf(i/replicas, pod)
	volume := "kube-api-access-" + suffix(random, 5)
	if p.FixedVolumes {
		volume = "kube-api-access-" + d.hash[:5]
	}
	admit(pod, volume)
	schedule(pod, i%(p.Size/podsPerNode+1))
	run(pod, random)
	status := statusFieldsOf(pod.Status)
	if p.Distinct {
		distinguish(pod, i)
		spec, status = specFields(pod), statusFields(pod.Status)
	}
	pod.ResourceVersion = strconv.Itoa(firstVersion + i)
	own(pod, controllerManager, spec)
	own(pod, kubelet, status)
	return pod
}

// Change returns the i-th change: a pod that is ready no longer, or again. All pods change
// once before any changes again, and neighbours in the list at different times.
func (p Population) Change(i int) *v1.Pod {
	const stride = 7919 // a prime, so that every pod has its turn
	pod := p.Pod(i % p.Size * stride % p.Size)
	pod.ResourceVersion = p.ChangeVersion(i)
	now := metav1.NewTime(epoch.AddDate(0, 1, 0).Add(time.Duration(i) * time.Second))
	ready := &pod.Status.Conditions[readyCondition]
	ready.LastTransitionTime = now
	if i/p.Size%2 == 0 {
		ready.Status = v1.ConditionFalse
	}
	pod.ManagedFields[len(pod.ManagedFields)-1].Time = &now
	return pod
}

var epoch = time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)

// Managers of fields.
const (
	controllerManager = "kube-controller-manager"
	kubelet           = "kubelet"
)

// own notes that a manager has set fields.
func own(pod *v1.Pod, manager string, fields []byte) {
	entry := metav1.ManagedFieldsEntry{
		Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: fields},
	}
	at := pod.CreationTimestamp
	if manager == kubelet {
		entry.Subresource = "status"
		at = metav1.NewTime(at.Add(9 * time.Second))
	}
	entry.Time = &at
	pod.ManagedFields = append(pod.ManagedFields, entry)
}

// alphabet has the letters from which the API server makes the end of a generateName.
const alphabet = "bcdfghjklmnpqrstvwxz2456789"

// suffix returns n random characters.
func suffix(random *rand.Rand, n int) string {
	s := make([]byte, n)
	for i := range s {
		s[i] = alphabet[random.IntN(len(alphabet))]
	}
	return string(s)
}

// suffixOf returns five characters that no other replica of a deployment has: of 1,000
// deployments with random ones, some would have two pods of one name.
func suffixOf(replica int, random *rand.Rand) string {
	return suffix(random, 3) + string(alphabet[replica/len(alphabet)]) + string(alphabet[replica%len(alphabet)])
}

// digits returns n random hexadecimal digits. n must be even.
func digits(random *rand.Rand, n int) string {
	var b []byte
	for len(b) < n/2 {
		b = binary.BigEndian.AppendUint64(b, random.Uint64())
	}
	return hex.EncodeToString(b[:n/2])
}

func uid(random *rand.Rand) types.UID {
	d := digits(random, 32)
	return types.UID(fmt.Sprintf("%s-%s-4%s-a%s-%s", d[:8], d[8:12], d[13:16], d[17:20], d[20:]))
}
