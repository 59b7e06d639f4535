package main

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// createWeb creates a Deployment and its Service.
func (s *script) createWeb(ctx context.Context, name string, replicas int32) error {
	labels := map[string]string{"app": name, "kind": "web"}
	d := deployment(name, replicas, labels)
	if _, err := fmt.Sscanf(name, "web-%d", new(int)); err == nil {
		d.Labels = map[string]string{"group": "webs"}
	}
	if _, err := s.client.AppsV1().Deployments(work).Create(ctx, d, metav1.CreateOptions{}); err != nil {
		return err
	}
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": name}, Ports: []corev1.ServicePort{{Port: 80}}},
	}
	_, err := s.client.CoreV1().Services(work).Create(ctx, service, metav1.CreateOptions{})
	return err
}

func deployment(name string, replicas int32, labels map[string]string) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
			Template: podTemplate(labels),
		},
	}
}

func podTemplate(labels map[string]string) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: labels},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: ptr.To(int64(1)),
			Containers: []corev1.Container{{
				Name: "main", Image: "example.com/web:1",
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
			}},
		},
	}
}

// createAccounting creates what counts pods and what makes one by itself.
func (s *script) createAccounting(ctx context.Context) error {
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "pods"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("1000")}},
	}
	pdb := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "web-0"},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: ptr.To(intstr.FromInt32(1)),
			Selector:       &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web-0"}},
		},
	}
	cron := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "cron"},
		Spec: batchv1.CronJobSpec{
			Schedule:    "* * * * *",
			JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "cron"}}, Spec: jobSpec("cron", 1)},
		},
	}
	_, err1 := s.client.CoreV1().ResourceQuotas(work).Create(ctx, quota, metav1.CreateOptions{})
	_, err2 := s.client.PolicyV1().PodDisruptionBudgets(work).Create(ctx, pdb, metav1.CreateOptions{})
	_, err3 := s.client.BatchV1().CronJobs(work).Create(ctx, cron, metav1.CreateOptions{})
	return errors.Join(err1, err2, err3)
}

func job(name string) *batchv1.Job {
	spec := jobSpec("job", 6)
	spec.TTLSecondsAfterFinished = ptr.To(int32(3))
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "job"}}, Spec: spec}
}

func jobSpec(app string, completions int32) batchv1.JobSpec {
	template := podTemplate(map[string]string{"app": app})
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	return batchv1.JobSpec{Completions: &completions, Parallelism: ptr.To(int32(3)), Template: template}
}

// createStateful creates a StatefulSet and the volumes for its claims, which
// are bound when a pod has been given a node.
func (s *script) createStateful(ctx context.Context) error {
	const class = "local"
	size := corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")}
	if _, err := s.client.StorageV1().StorageClasses().Create(ctx, &storagev1.StorageClass{
		ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "kubernetes.io/no-provisioner",
		VolumeBindingMode: ptr.To(storagev1.VolumeBindingWaitForFirstConsumer),
	}, metav1.CreateOptions{}); err != nil {
		return err
	}
	for i := range 3 {
		if _, err := s.client.CoreV1().PersistentVolumes().Create(ctx, &corev1.PersistentVolume{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("volume-%d", i)},
			Spec: corev1.PersistentVolumeSpec{
				Capacity: size, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: class,
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/data"}},
			},
		}, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	template := podTemplate(map[string]string{"app": "db"})
	template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	_, err := s.client.AppsV1().StatefulSets(work).Create(ctx, &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "db"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: ptr.To(int32(3)), ServiceName: "db",
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "db"}},
			Template: template,
			VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{
				ObjectMeta: metav1.ObjectMeta{Name: "data"},
				Spec: corev1.PersistentVolumeClaimSpec{
					AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: ptr.To(class),
					Resources: corev1.VolumeResourceRequirements{Requests: size},
				},
			}},
		},
	}, metav1.CreateOptions{})
	return err
}

func daemonSet(name string) *appsv1.DaemonSet {
	labels := map[string]string{"app": name}
	template := podTemplate(labels)
	template.Spec.Containers[0].Resources = corev1.ResourceRequirements{} // fits on any node
	return &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       appsv1.DaemonSetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, Template: template},
	}
}

// createApart creates a Deployment whose pods repel each other.
func (s *script) createApart(ctx context.Context, name string, replicas int32) error {
	d := deployment(name, replicas, map[string]string{"app": name})
	d.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, TopologyKey: corev1.LabelHostname,
		}},
	}}
	_, err := s.client.AppsV1().Deployments(work).Create(ctx, d, metav1.CreateOptions{})
	return err
}

// createSmall creates a Deployment for nodes of size small.
func (s *script) createSmall(ctx context.Context, name, cpu string, replicas int32, priority string) error {
	if priority != "" {
		class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: priority}, Value: 1000}
		if _, err := s.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	d := deployment(name, replicas, map[string]string{"app": name})
	spec := &d.Spec.Template.Spec
	spec.NodeSelector, spec.PriorityClassName = map[string]string{"size": "small"}, priority
	spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	_, err := s.client.AppsV1().Deployments(work).Create(ctx, d, metav1.CreateOptions{})
	return err
}

// inParallel does something n times, eight at a time, until one fails.
func inParallel(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for i := range n {
		group.Go(func() error {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}
