package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

const (
	webs     = 20 // Deployments with a Service each
	replicas = 10
	nodes    = 10
	work     = "work" // the namespace where most things are
)

// script has the steps that both builds go through.
type script struct {
	*cluster
	*milestones
	kubelet *kubelet
}

// prepare fills the cluster before the two programs start.
func (s *script) prepare(ctx context.Context, objects int) error {
	const ballast = "ballast"
	if err := s.createNamespace(ctx, ballast); err != nil {
		return err
	}
	if err := inParallel(ctx, objects, func(ctx context.Context, i int) error {
		meta := metav1.ObjectMeta{Name: fmt.Sprintf("object-%05d", i), Labels: map[string]string{"part": fmt.Sprint(i % 10)}}
		text := string(slices.Repeat([]byte("x"), 1000))
		if _, err := s.client.CoreV1().ConfigMaps(ballast).Create(ctx, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"text": text}}, metav1.CreateOptions{}); err != nil {
			return err
		}
		_, err := s.client.CoreV1().Secrets(ballast).Create(ctx, &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"text": text}}, metav1.CreateOptions{})
		return err
	}); err != nil {
		return err
	}
	for i := range nodes {
		if err := s.kubelet.addNode(ctx, fmt.Sprintf("node-%d", i), "16", nil); err != nil {
			return err
		}
	}
	return nil
}

// beginning holds the conditions that must be met soon after the start.
func (s *script) beginning(ctx context.Context) error {
	for _, name := range []string{work, "doomed"} {
		if err := s.createNamespace(ctx, name); err != nil {
			return err
		}
	}
	s.await(ctx, "new namespaces have their service account and root certificates", func(ctx context.Context) error {
		for _, name := range []string{work, "doomed"} {
			_, err1 := s.client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
			_, err2 := s.client.CoreV1().ConfigMaps(name).Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
			if err := errors.Join(err1, err2); err != nil {
				return err
			}
		}
		return nil
	})
	s.await(ctx, "nodes have address ranges and no taint", func(ctx context.Context) error {
		list, err := s.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		return all(list.Items, "nodes", func(n corev1.Node) bool { return n.Spec.PodCIDR != "" && len(n.Spec.Taints) == 0 })
	})
	return nil
}

// deployments brings services up, and scales and updates them.
func (s *script) deployments(ctx context.Context) error {
	s.from()
	if err := s.createAccounting(ctx); err != nil {
		return err
	}
	for i := range webs {
		if err := s.createWeb(ctx, fmt.Sprintf("web-%d", i), replicas); err != nil {
			return err
		}
	}
	s.await(ctx, "ReplicaSets of Deployments exist", func(ctx context.Context) error {
		list, err := s.client.AppsV1().ReplicaSets(work).List(ctx, metav1.ListOptions{})
		return countIs(err, len(list.Items), webs, "ReplicaSets")
	})
	s.await(ctx, "all pods are bound", func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, "kind=web")
		return errors.Join(countIs(err, len(pods), webs*replicas, "pods"), all(pods, "pods", func(p corev1.Pod) bool { return p.Spec.NodeName != "" }))
	})
	s.await(ctx, "Deployments are available", s.websAre(replicas))
	s.await(ctx, "EndpointSlices have the ready pods", s.slicesRight)
	s.await(ctx, "ResourceQuota counts the pods", s.quotaRight)
	s.await(ctx, "PodDisruptionBudget counts the pods", func(ctx context.Context) error {
		pdb, err := s.client.PolicyV1().PodDisruptionBudgets(work).Get(ctx, "web-0", metav1.GetOptions{})
		return countIs(err, int(pdb.Status.CurrentHealthy), replicas, "healthy pods")
	})
	for _, to := range []int32{15, 5} {
		s.from()
		if err := s.scaleWebs(ctx, to); err != nil {
			return err
		}
		s.await(ctx, fmt.Sprintf("Deployments are scaled to %d", to), s.websAre(to))
		s.await(ctx, fmt.Sprintf("EndpointSlices have the ready pods of %d each", to), s.slicesRight)
	}
	s.from()
	if err := s.updateWebs(ctx, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "example.com/web:2" }); err != nil {
		return err
	}
	s.await(ctx, "Deployments are rolled to a new image", s.rolled)
	return nil
}

// kinds runs one of each of the other workloads.
func (s *script) kinds(ctx context.Context) error {
	s.from()
	if err := s.createStateful(ctx); err != nil {
		return err
	}
	s.await(ctx, "StatefulSet has its pods in order and its claims bound", func(ctx context.Context) error {
		set, err := s.client.AppsV1().StatefulSets(work).Get(ctx, "db", metav1.GetOptions{})
		if err = countIs(err, int(set.Status.ReadyReplicas), 3, "ready pods"); err != nil {
			return err
		}
		claims, err := s.client.CoreV1().PersistentVolumeClaims(work).List(ctx, metav1.ListOptions{})
		if err = countIs(err, len(claims.Items), 3, "claims"); err != nil {
			return err
		}
		return all(claims.Items, "claims", func(c corev1.PersistentVolumeClaim) bool { return c.Status.Phase == corev1.ClaimBound })
	})
	s.from()
	if _, err := s.client.AppsV1().DaemonSets(work).Create(ctx, daemonSet("agent"), metav1.CreateOptions{}); err != nil {
		return err
	}
	s.await(ctx, "DaemonSet has a pod on each node", s.daemonOn(nodes))
	s.from()
	for i := range 5 {
		if _, err := s.client.BatchV1().Jobs(work).Create(ctx, job(fmt.Sprintf("job-%d", i)), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	s.await(ctx, "Jobs are complete", func(ctx context.Context) error {
		list, err := s.client.BatchV1().Jobs(work).List(ctx, metav1.ListOptions{LabelSelector: "app=job"})
		if err != nil {
			return err
		}
		return all(list.Items, "jobs", func(j batchv1.Job) bool { return j.Status.CompletionTime != nil })
	})
	s.await(ctx, "Jobs and their pods are removed after their time to live", func(ctx context.Context) error {
		jobs, err := s.client.BatchV1().Jobs(work).List(ctx, metav1.ListOptions{LabelSelector: "app=job"})
		if err = countIs(err, len(jobs.Items), 0, "jobs"); err != nil {
			return err
		}
		pods, err := s.podsOf(ctx, "app=job")
		return countIs(err, len(pods), 0, "pods")
	})
	return nil
}

// scheduling asks the scheduler for more than a place.
func (s *script) scheduling(ctx context.Context) error {
	s.from()
	if err := s.createApart(ctx, "apart", nodes); err != nil {
		return err
	}
	s.await(ctx, "pods that repel each other are on nodes of their own", func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, "app=apart")
		if err != nil {
			return err
		}
		on := sets.New[string]()
		for _, pod := range pods {
			on.Insert(pod.Spec.NodeName)
		}
		return countIs(nil, on.Delete("").Len(), nodes, "nodes")
	})
	s.from()
	if err := s.createSmall(ctx, "low", "1", 2, ""); err != nil {
		return err
	}
	s.await(ctx, "pods that fit nowhere are reported", func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, "app=low")
		if err = countIs(err, len(pods), 2, "pods"); err != nil {
			return err
		}
		return all(pods, "pods", isUnschedulable)
	})
	s.from()
	if err := s.kubelet.addNode(ctx, "small", "2", map[string]string{"size": "small"}); err != nil {
		return err
	}
	s.await(ctx, "pods that fitted nowhere run on a new node", s.runningAre("app=low", 2))
	s.await(ctx, "DaemonSet has a pod on the new node", s.daemonOn(nodes+1))
	s.from()
	if err := s.createSmall(ctx, "high", "2", 1, "high"); err != nil {
		return err
	}
	s.await(ctx, "a pod of high priority has preempted others", s.runningAre("app=high", 1))
	return s.client.AppsV1().Deployments(work).Delete(ctx, "low", metav1.DeleteOptions{})
}

// deletions has what belongs to others removed with them.
func (s *script) deletions(ctx context.Context) error {
	const dependents = 100
	owner, err := s.client.CoreV1().ConfigMaps(work).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	reference := metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}
	for _, namespace := range []string{work, "doomed"} {
		if err := inParallel(ctx, dependents, func(ctx context.Context, i int) error {
			dependent := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("dependent-%d", i), Labels: map[string]string{"app": "dependent"}}}
			if namespace == work {
				dependent.OwnerReferences = []metav1.OwnerReference{reference}
			}
			_, err := s.client.CoreV1().Secrets(namespace).Create(ctx, dependent, metav1.CreateOptions{})
			return err
		}); err != nil {
			return err
		}
	}
	s.from()
	if err := s.client.CoreV1().ConfigMaps(work).Delete(ctx, owner.Name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	s.await(ctx, "garbage collector has removed what an owner left", func(ctx context.Context) error {
		list, err := s.client.CoreV1().Secrets(work).List(ctx, metav1.ListOptions{LabelSelector: "app=dependent"})
		return countIs(err, len(list.Items), 0, "dependents")
	})
	s.from()
	foreground := metav1.DeletePropagationForeground
	if err := s.client.AppsV1().Deployments(work).Delete(ctx, "apart", metav1.DeleteOptions{PropagationPolicy: &foreground}); err != nil {
		return err
	}
	s.await(ctx, "a Deployment deleted in the foreground went after its pods", func(ctx context.Context) error {
		_, err := s.client.AppsV1().Deployments(work).Get(ctx, "apart", metav1.GetOptions{})
		if err == nil {
			return errors.New("the Deployment is there")
		}
		if !apierrors.IsNotFound(err) {
			return err
		}
		pods, err := s.podsOf(ctx, "app=apart")
		return countIs(err, len(pods), 0, "pods")
	})
	s.from()
	if err := s.client.CoreV1().Namespaces().Delete(ctx, "doomed", metav1.DeleteOptions{}); err != nil {
		return err
	}
	s.await(ctx, "a namespace is gone with its content", func(ctx context.Context) error {
		_, err := s.client.CoreV1().Namespaces().Get(ctx, "doomed", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("the namespace is there"))
	})
	return nil
}

// lostNode is the node that is lost.
const lostNode = "node-0"

// loss holds the consequences of a lost node.
func (s *script) loss(ctx context.Context) error {
	s.from()
	s.kubelet.lose(lostNode)
	s.await(ctx, "a lost node is tainted", func(ctx context.Context) error {
		node, err := s.client.CoreV1().Nodes().Get(ctx, lostNode, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, taint := range node.Spec.Taints {
			if taint.Key == corev1.TaintNodeUnreachable && taint.Effect == corev1.TaintEffectNoExecute {
				return nil
			}
		}
		return fmt.Errorf("taints are %v", node.Spec.Taints)
	})
	s.await(ctx, "its pods are replaced on other nodes", func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, "kind=web")
		if err != nil {
			return err
		}
		if err := all(podsOn(pods, lostNode), "pods on it", func(p corev1.Pod) bool { return p.DeletionTimestamp != nil }); err != nil {
			return err
		}
		return s.websAre(5)(ctx)
	})
	s.await(ctx, "EndpointSlices have left it out", s.slicesRight)
	s.from()
	return s.client.CoreV1().Nodes().Delete(ctx, lostNode, metav1.DeleteOptions{})
}

// after holds the conditions that must be met once the API server is back: changes that are made at once
// are acted on.
func (s *script) after(ctx context.Context, outage string, size int32) error {
	s.from()
	if err := s.scaleWebs(ctx, size); err != nil {
		return err
	}
	name := "after-" + outage
	if err := s.createWeb(ctx, name, 5); err != nil {
		return err
	}
	s.await(ctx, outage+" outage: a new Deployment is available", s.available(name))
	s.await(ctx, outage+" outage: Deployments are scaled", s.websAre(size))
	s.await(ctx, outage+" outage: EndpointSlices have the ready pods", s.slicesRight)
	return nil
}

// ending holds the conditions that must be met in the end.
func (s *script) ending(ctx context.Context) error {
	s.from()
	s.await(ctx, "CronJob has made a Job", func(ctx context.Context) error {
		list, err := s.client.BatchV1().Jobs(work).List(ctx, metav1.ListOptions{LabelSelector: "app=cron"})
		if err == nil && len(list.Items) == 0 {
			err = errors.New("no Job")
		}
		return err
	})
	s.await(ctx, "pods of a deleted node are removed", func(ctx context.Context) error {
		pods, err := s.pods(ctx, metav1.NamespaceAll)
		return countIs(err, len(podsOn(pods, lostNode)), 0, "pods")
	})
	s.await(ctx, "ResourceQuota counts the pods in the end", s.quotaRight)
	s.await(ctx, "everything is as declared", func(ctx context.Context) error {
		list, err := s.client.AppsV1().Deployments(work).List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		if err := all(list.Items, "Deployments", isAvailable); err != nil {
			return err
		}
		pods, err := s.podsOf(ctx, "app!=cron")
		if err != nil {
			return err
		}
		want := webs*8 + 3*5 + 3 + nodes + 1 // webs, those after outages, db, agent, high
		return errors.Join(
			countIs(nil, len(pods), want, "pods"),
			all(pods, "pods", func(p corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning && p.DeletionTimestamp == nil }),
			s.slicesRight(ctx),
		)
	})
	return nil
}

func (s *script) createNamespace(ctx context.Context, name string) error {
	_, err := s.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	return err
}

// scaleWebs scales the Deployments that web-0 is one of.
func (s *script) scaleWebs(ctx context.Context, to int32) error {
	return s.updateWebs(ctx, func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To(to) })
}

func (s *script) updateWebs(ctx context.Context, change func(*appsv1.Deployment)) error {
	return inParallel(ctx, webs, func(ctx context.Context, i int) error {
		return retry.RetryOnConflict(retry.DefaultRetry, func() error {
			d, err := s.client.AppsV1().Deployments(work).Get(ctx, fmt.Sprintf("web-%d", i), metav1.GetOptions{})
			if err != nil {
				return err
			}
			change(d)
			_, err = s.client.AppsV1().Deployments(work).Update(ctx, d, metav1.UpdateOptions{})
			return err
		})
	})
}

func (s *script) websAre(size int32) func(context.Context) error {
	return func(ctx context.Context) error {
		list, err := s.client.AppsV1().Deployments(work).List(ctx, metav1.ListOptions{LabelSelector: "group=webs"})
		if err != nil {
			return err
		}
		return all(list.Items, "Deployments", func(d appsv1.Deployment) bool { return *d.Spec.Replicas == size && isAvailable(d) })
	}
}

func (s *script) available(name string) func(context.Context) error {
	return func(ctx context.Context) error {
		d, err := s.client.AppsV1().Deployments(work).Get(ctx, name, metav1.GetOptions{})
		if err == nil && !isAvailable(*d) {
			err = fmt.Errorf("%d of %d replicas available", d.Status.AvailableReplicas, *d.Spec.Replicas)
		}
		return err
	}
}

func isAvailable(d appsv1.Deployment) bool {
	want, status := *d.Spec.Replicas, d.Status
	return status.ObservedGeneration >= d.Generation && status.Replicas == want && status.UpdatedReplicas == want && status.AvailableReplicas == want
}

// rolled wants the new image in every pod, and the old ReplicaSets empty.
func (s *script) rolled(ctx context.Context) error {
	if err := s.websAre(5)(ctx); err != nil {
		return err
	}
	pods, err := s.podsOf(ctx, "kind=web")
	if err != nil {
		return err
	}
	return all(pods, "pods", func(p corev1.Pod) bool { return p.Spec.Containers[0].Image == "example.com/web:2" })
}

// slicesRight wants the ready endpoints of each service to be its ready pods.
func (s *script) slicesRight(ctx context.Context) error {
	pods, err := s.podsOf(ctx, "kind=web")
	if err != nil {
		return err
	}
	list, err := s.client.DiscoveryV1().EndpointSlices(work).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return compareEndpoints(pods, list.Items)
}

func compareEndpoints(pods []corev1.Pod, slices []discoveryv1.EndpointSlice) error {
	want, got := map[string]sets.Set[types.UID]{}, map[string]sets.Set[types.UID]{}
	insert := func(into map[string]sets.Set[types.UID], name string, uid types.UID) {
		if into[name] == nil {
			into[name] = sets.New[types.UID]()
		}
		into[name].Insert(uid)
	}
	for _, pod := range pods {
		if isReadyPod(pod) && pod.DeletionTimestamp == nil {
			insert(want, pod.Labels["app"], pod.UID)
		}
	}
	for _, slice := range slices {
		for _, endpoint := range slice.Endpoints {
			if endpoint.TargetRef != nil && ptr.Deref(endpoint.Conditions.Ready, true) {
				insert(got, slice.Labels[discoveryv1.LabelServiceName], endpoint.TargetRef.UID)
			}
		}
	}
	for name := range sets.KeySet(want).Union(sets.KeySet(got)) {
		if !want[name].Equal(got[name]) {
			return fmt.Errorf("service %s: has %d ready endpoints; %d pods are ready, %d of them among the endpoints",
				name, got[name].Len(), want[name].Len(), want[name].Intersection(got[name]).Len())
		}
	}
	return nil
}

// quotaRight wants the quota to count the pods that have not ended.
func (s *script) quotaRight(ctx context.Context) error {
	pods, err := s.pods(ctx, work)
	if err != nil {
		return err
	}
	want := 0
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			want++
		}
	}
	quota, err := s.client.CoreV1().ResourceQuotas(work).Get(ctx, "pods", metav1.GetOptions{})
	used := quota.Status.Used[corev1.ResourcePods]
	return countIs(err, int(used.Value()), want, "pods")
}

func (s *script) daemonOn(nodes int) func(context.Context) error {
	return func(ctx context.Context) error {
		set, err := s.client.AppsV1().DaemonSets(work).Get(ctx, "agent", metav1.GetOptions{})
		return countIs(err, int(set.Status.NumberAvailable), nodes, "available pods")
	}
}

func (s *script) runningAre(selector string, want int) func(context.Context) error {
	return func(ctx context.Context) error {
		pods, err := s.podsOf(ctx, selector)
		running := 0
		for _, pod := range pods {
			if pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil {
				running++
			}
		}
		return countIs(err, running, want, "running pods")
	}
}

func (s *script) podsOf(ctx context.Context, selector string) ([]corev1.Pod, error) {
	list, err := s.client.CoreV1().Pods(work).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func (s *script) pods(ctx context.Context, namespace string) ([]corev1.Pod, error) {
	list, err := s.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

func isReadyPod(pod corev1.Pod) bool { return isTrue(pod, corev1.PodReady) }

func isTrue(pod corev1.Pod, kind corev1.PodConditionType) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == kind && c.Status == corev1.ConditionTrue
	})
}

func isUnschedulable(pod corev1.Pod) bool {
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonUnschedulable
	})
}

// countIs is an error unless there are as many as wanted.
func countIs(err error, got, want int, of string) error {
	if err == nil && got != want {
		err = fmt.Errorf("%d %s, want %d", got, of, want)
	}
	return err
}

// all is an error unless something holds for each.
func all[T any](items []T, of string, holds func(T) bool) error {
	count := 0
	for _, item := range items {
		if holds(item) {
			count++
		}
	}
	return countIs(nil, count, len(items), of)
}
