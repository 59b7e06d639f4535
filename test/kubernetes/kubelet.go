package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/workqueue"
)

const (
	// nodeGrace is the time for which a node may be silent before it counts as lost. It is longer than the
	// longest outage of the API server.
	nodeGrace = 25 * time.Second
	heartbeat = 2 * time.Second
	// lookInterval is the time between two lists of pods.
	lookInterval = 250 * time.Millisecond
)

// kubelet plays the kubelets of some nodes. It renews their leases, and says that pods which are bound to
// them run, or have succeeded if they belong to a job. It removes pods that are being deleted. It lists
// pods several times a second rather than watch them: the backoff of informers of its own would decide how
// soon things are right after an outage.
type kubelet struct {
	client kubernetes.Interface
	queue  workqueue.TypedRateLimitingInterface[string]
	done   sync.WaitGroup

	mu    sync.Mutex
	pods  map[string]*corev1.Pod // as listed last, by key
	seen  map[types.UID]string   // the resourceVersion that was seen to, of each pod
	alive map[string]bool        // by name of a node: whether it does anything
	ip    int                    // of the last pod
}

// startKubelet starts it; it ends with ctx.
func startKubelet(ctx context.Context, client kubernetes.Interface) *kubelet {
	k := &kubelet{
		client: client,
		queue: workqueue.NewTypedRateLimitingQueue(
			workqueue.NewTypedItemExponentialFailureRateLimiter[string](50*time.Millisecond, time.Second)),
		seen:  map[types.UID]string{},
		alive: map[string]bool{},
	}
	for range 8 {
		k.done.Go(func() { k.work(ctx) })
	}
	k.done.Go(func() { k.beat(ctx) })
	k.done.Go(func() {
		defer k.queue.ShutDown()
		for sleep(ctx, lookInterval) == nil {
			k.look(ctx)
		}
	})
	return k
}

// look lists the pods, and queues the pods that need work. A failed list is retried with the next one, as
// in an outage.
func (k *kubelet) look(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	list, err := k.client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		return
	}
	pods := map[string]*corev1.Pod{}
	for i := range list.Items {
		pod := &list.Items[i]
		pods[pod.Namespace+"/"+pod.Name] = pod
	}
	k.mu.Lock()
	k.pods = pods
	k.mu.Unlock()
	for key, pod := range pods {
		if k.isAlive(pod.Spec.NodeName) && hasWork(pod) {
			k.queue.Add(key)
		}
	}
}

// hasWork reports whether a pod that is bound needs its next step.
func hasWork(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodPending ||
		pod.Status.Phase == corev1.PodRunning && pod.Spec.RestartPolicy == corev1.RestartPolicyNever
}

// wait returns when everything has ended after the context that the kubelet
// was started with.
func (k *kubelet) wait() { k.done.Wait() }

// addNode creates a node with room for so many processors, which is ready.
func (k *kubelet) addNode(ctx context.Context, name, cpu string, labels map[string]string) error {
	capacity := corev1.ResourceList{
		corev1.ResourceCPU:    resource.MustParse(cpu),
		corev1.ResourceMemory: resource.MustParse("64Gi"),
		corev1.ResourcePods:   resource.MustParse("110"),
	}
	all := map[string]string{corev1.LabelHostname: name}
	for key, value := range labels {
		all[key] = value
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: all},
		Status:     corev1.NodeStatus{Capacity: capacity, Allocatable: capacity, Conditions: readyNode()},
	}
	if _, err := k.client.CoreV1().Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return err
	}
	lease := &coordinationv1.Lease{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: corev1.NamespaceNodeLease},
		Spec:       coordinationv1.LeaseSpec{HolderIdentity: &name, RenewTime: &metav1.MicroTime{Time: time.Now()}},
	}
	if _, err := k.client.CoordinationV1().Leases(lease.Namespace).Create(ctx, lease, metav1.CreateOptions{}); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.alive[name] = true
	return nil
}

// lose makes a node do nothing any more.
func (k *kubelet) lose(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.alive[name] = false
}

func (k *kubelet) isAlive(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.alive[name]
}

// beat renews the leases of all nodes that are alive until ctx ends.
func (k *kubelet) beat(ctx context.Context) {
	for sleep(ctx, heartbeat) == nil {
		k.mu.Lock()
		var names []string
		for name, alive := range k.alive {
			if alive {
				names = append(names, name)
			}
		}
		k.mu.Unlock()
		for _, name := range names {
			// A failed one is retried with the next one, as in an outage.
			k.renew(ctx, name)
		}
	}
}

func (k *kubelet) renew(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	patch := map[string]any{"spec": map[string]any{"renewTime": metav1.NowMicro()}}
	if err := k.patch(patch, func(data []byte) error {
		_, err := k.client.CoordinationV1().Leases(corev1.NamespaceNodeLease).Patch(ctx, name, types.MergePatchType, data, metav1.PatchOptions{})
		return err
	}); err != nil {
		return err
	}
	node, err := k.client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
	if err != nil || isReadyNode(node) {
		return err
	}
	return k.patch(map[string]any{"status": corev1.NodeStatus{Conditions: readyNode()}}, func(data []byte) error {
		_, err := k.client.CoreV1().Nodes().PatchStatus(ctx, name, data)
		return err
	})
}

func (k *kubelet) patch(patch any, send func([]byte) error) error {
	data, err := json.Marshal(patch)
	if err != nil {
		return err
	}
	return send(data)
}

func readyNode() []corev1.NodeCondition {
	now := metav1.Now()
	return []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastHeartbeatTime: now, LastTransitionTime: now, Reason: "KubeletReady"}}
}

func isReadyNode(node *corev1.Node) bool {
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (k *kubelet) work(ctx context.Context) {
	for {
		key, shutdown := k.queue.Get()
		if shutdown {
			return
		}
		if err := k.sync(ctx, key); err != nil {
			k.queue.AddRateLimited(key)
		} else {
			k.queue.Forget(key)
		}
		k.queue.Done(key)
	}
}

// sync takes a pod one step on.
func (k *kubelet) sync(ctx context.Context, key string) error {
	k.mu.Lock()
	pod := k.pods[key]
	idle := pod == nil || !k.alive[pod.Spec.NodeName] || k.seen[pod.UID] == pod.ResourceVersion
	k.mu.Unlock()
	if idle {
		return nil
	}
	var err error
	namespace, name := pod.Namespace, pod.Name
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	switch {
	case pod.DeletionTimestamp != nil:
		now := int64(0)
		err = k.client.CoreV1().Pods(namespace).Delete(ctx, name, metav1.DeleteOptions{
			GracePeriodSeconds: &now, Preconditions: metav1.NewUIDPreconditions(string(pod.UID)),
		})
	case pod.Status.Phase == corev1.PodPending:
		err = k.setStatus(ctx, pod, k.running(pod))
	case pod.Status.Phase == corev1.PodRunning && pod.Spec.RestartPolicy == corev1.RestartPolicyNever:
		err = k.setStatus(ctx, pod, succeeded(pod))
	}
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return err
	}
	// Done, or the pod is another one, or gone. The next list may be of the time
	// before that.
	k.mu.Lock()
	defer k.mu.Unlock()
	k.seen[pod.UID] = pod.ResourceVersion
	return nil
}

func (k *kubelet) setStatus(ctx context.Context, pod *corev1.Pod, status corev1.PodStatus) error {
	return k.patch(map[string]any{"metadata": map[string]any{"uid": pod.UID}, "status": status}, func(data []byte) error {
		_, err := k.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, data, metav1.PatchOptions{}, "status")
		return err
	})
}

func (k *kubelet) running(pod *corev1.Pod) corev1.PodStatus {
	k.mu.Lock()
	k.ip++
	ip := fmt.Sprintf("10.244.%d.%d", k.ip/250, 1+k.ip%250)
	k.mu.Unlock()
	now := metav1.Now()
	status := corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, StartTime: &now}
	for _, kind := range []corev1.PodConditionType{corev1.PodInitialized, corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: now})
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image, Ready: true,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
	return status
}

func succeeded(pod *corev1.Pod) corev1.PodStatus {
	now := metav1.Now()
	status := corev1.PodStatus{Phase: corev1.PodSucceeded}
	for _, kind := range []corev1.PodConditionType{corev1.ContainersReady, corev1.PodReady} {
		status.Conditions = append(status.Conditions, corev1.PodCondition{Type: kind, Status: corev1.ConditionFalse, Reason: "PodCompleted", LastTransitionTime: now})
	}
	for _, container := range pod.Spec.Containers {
		status.ContainerStatuses = append(status.ContainerStatuses, corev1.ContainerStatus{
			Name: container.Name, Image: container.Image,
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: now}},
		})
	}
	return status
}

// podsOn returns the pods that are bound to a node.
func podsOn(pods []corev1.Pod, node string) (on []corev1.Pod) {
	for _, pod := range pods {
		if pod.Spec.NodeName == node {
			on = append(on, pod)
		}
	}
	return on
}
