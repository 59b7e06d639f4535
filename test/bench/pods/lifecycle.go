package pods

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// admit adds what the admission of the API server adds: the token of the service account,
// in a volume of that name, and tolerations.
func admit(pod *v1.Pod, volume string) {
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{
		Name: volume,
		VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{
			DefaultMode: new(int32(420)),
			Sources: []v1.VolumeProjection{
				{ServiceAccountToken: &v1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
				{ConfigMap: &v1.ConfigMapProjection{
					LocalObjectReference: v1.LocalObjectReference{Name: "kube-root-ca.crt"},
					Items:                []v1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}},
				}},
				{DownwardAPI: &v1.DownwardAPIProjection{Items: []v1.DownwardAPIVolumeFile{{
					Path:     "namespace",
					FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"},
				}}}},
			},
		}},
	})
	for i := range pod.Spec.Containers {
		c := &pod.Spec.Containers[i]
		c.VolumeMounts = append(c.VolumeMounts, v1.VolumeMount{
			Name: volume, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount",
		})
	}
	for _, taint := range []string{v1.TaintNodeNotReady, v1.TaintNodeUnreachable} {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key: taint, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: new(int64(300)),
		})
	}
	pod.Spec.Priority = new(int32(0))
	pod.Spec.PreemptionPolicy = new(v1.PreemptLowerPriority)
}

// schedule binds a pod to a node.
func schedule(pod *v1.Pod, node int) {
	pod.Spec.NodeName = fmt.Sprintf("node-%04d.eu-central-1.example.com", node)
	pod.Status.HostIP = address(node)
	pod.Status.HostIPs = []v1.HostIP{{IP: pod.Status.HostIP}}
}

// readyCondition is the place of the condition Ready.
const readyCondition = 2

// run fills the status as a kubelet does whose containers run.
func run(pod *v1.Pod, random *rand.Rand) {
	after := func(seconds int) metav1.Time {
		return metav1.NewTime(pod.CreationTimestamp.Add(time.Duration(seconds) * time.Second))
	}
	s := &pod.Status
	s.Phase = v1.PodRunning
	s.ObservedGeneration = 1
	s.QOSClass = v1.PodQOSBurstable
	started := after(0)
	s.StartTime = &started
	s.PodIP = address(1<<20 + random.IntN(1<<22))
	s.PodIPs = []v1.PodIP{{IP: s.PodIP}}
	for i, of := range []v1.PodConditionType{
		v1.PodReadyToStartContainers, v1.PodInitialized, v1.PodReady, v1.ContainersReady, v1.PodScheduled,
	} {
		s.Conditions = append(s.Conditions, v1.PodCondition{
			Type: of, Status: v1.ConditionTrue, ObservedGeneration: 1, LastTransitionTime: after([]int{3, 0, 9, 9, 0}[i]),
		})
	}
	for _, c := range pod.Spec.Containers {
		status := v1.ContainerStatus{
			Name:               c.Name,
			State:              v1.ContainerState{Running: &v1.ContainerStateRunning{StartedAt: after(2 + random.IntN(3))}},
			Ready:              true,
			Image:              c.Image,
			ImageID:            fmt.Sprintf("%s@sha256:%x", c.Image[:strings.LastIndex(c.Image, ":")], sha256.Sum256([]byte(c.Image))),
			ContainerID:        "containerd://" + digits(random, 64),
			Started:            new(true),
			AllocatedResources: c.Resources.Requests,
			Resources:          c.Resources.DeepCopy(),
			User:               &v1.ContainerUser{Linux: &v1.LinuxContainerUser{UID: 1000, GID: 1000, SupplementalGroups: []int64{1000, 2000}}},
		}
		for _, m := range c.VolumeMounts {
			mount := v1.VolumeMountStatus{Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly}
			if m.ReadOnly {
				mount.RecursiveReadOnly = new(v1.RecursiveReadOnlyDisabled)
			}
			status.VolumeMounts = append(status.VolumeMounts, mount)
		}
		s.ContainerStatuses = append(s.ContainerStatuses, status)
	}
}

// address returns the n-th of a private network.
func address(n int) string { return fmt.Sprintf("10.%d.%d.%d", n>>16&255, n>>8&255, n&255) }
