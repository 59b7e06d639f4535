package source

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// deployedPod is the i-th pod of a cluster, one of a hundred of its deployment, as an API
// server has it: some 10 KB of JSON.
func deployedPod(tb testing.TB, i int) *corev1.Pod {
	tb.Helper()
	d := i / 100
	rng := rand.New(rand.NewPCG(uint64(i), 7))
	app := fmt.Sprintf("app-%d", d)
	hash := fmt.Sprintf("%08x", uint32(d)*2654435761)
	token := fmt.Sprintf("kube-api-access-%05x", rng.IntN(1<<20))
	name := fmt.Sprintf("%s-%s-%05x", app, hash, rng.IntN(1<<20))
	uid := func(r *rand.Rand) types.UID {
		return types.UID(fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<16), r.IntN(1<<16), r.Uint64N(1<<48)))
	}
	owner := uid(rand.New(rand.NewPCG(uint64(d), 8)))
	created := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, i%5000, 0, time.UTC))
	ip := fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255)
	node := fmt.Sprintf("node-%d.example.internal", i%500)
	yes := true
	labels := map[string]string{"app.kubernetes.io/name": app, "app.kubernetes.io/part-of": "shop", "app.kubernetes.io/version": "1.2.3", "pod-template-hash": hash}
	container := func(n string) corev1.Container {
		var env []corev1.EnvVar
		for e := range 20 {
			env = append(env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", e), Value: fmt.Sprintf("value of %s number %d for %s", n, e, app)})
		}
		probe := &corev1.Probe{
			ProbeHandler:        corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080), Scheme: "HTTP"}},
			InitialDelaySeconds: 5, TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3,
		}
		return corev1.Container{
			Name: n, Image: "registry.example.com/shop/" + app + "/" + n + ":1.2.3@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
			Args: []string{"--listen=:8080", "--log-level=info", "--config=/etc/" + app + "/config.yaml"}, Env: env,
			Ports: []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: "TCP"}, {Name: "metrics", ContainerPort: 9090, Protocol: "TCP"}},
			Resources: corev1.ResourceRequirements{
				Limits:   corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("512Mi")},
				Requests: corev1.ResourceList{"cpu": resource.MustParse("100m"), "memory": resource.MustParse("128Mi")},
			},
			VolumeMounts: []corev1.VolumeMount{{Name: "config", MountPath: "/etc/" + app, ReadOnly: true}, {Name: "tmp", MountPath: "/tmp"},
				{Name: token, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount", ReadOnly: true}},
			LivenessProbe: probe, ReadinessProbe: probe,
			TerminationMessagePath: "/dev/termination-log", TerminationMessagePolicy: "File", ImagePullPolicy: "IfNotPresent",
			SecurityContext: &corev1.SecurityContext{ReadOnlyRootFilesystem: &yes, RunAsNonRoot: &yes, Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}},
		}
	}
	containers := []corev1.Container{container("server"), container("proxy")}
	var conditions []corev1.PodCondition
	for _, c := range []corev1.PodConditionType{"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"} {
		conditions = append(conditions, corev1.PodCondition{Type: c, Status: "True", LastTransitionTime: created})
	}
	var statuses []corev1.ContainerStatus
	for _, c := range containers {
		statuses = append(statuses, corev1.ContainerStatus{Name: c.Name, Image: c.Image, ImageID: c.Image, Ready: true, Started: &yes,
			ContainerID: "containerd://" + fmt.Sprintf("%064x", rng.Uint64()), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: created}}})
	}
	seconds, mode, root := int64(30), int32(420), int64(1000)
	manager := `{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/name":{},"f:app.kubernetes.io/part-of":{},"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"` + string(owner) + `\"}":{}}},"f:spec":{"f:affinity":{},"f:containers":{"k:{\"name\":\"server\"}":{".":{},"f:args":{},"f:env":{},"f:image":{},"f:name":{},"f:ports":{},"f:resources":{},"f:volumeMounts":{}},"k:{\"name\":\"proxy\"}":{".":{},"f:args":{},"f:env":{},"f:image":{},"f:name":{},"f:ports":{},"f:resources":{},"f:volumeMounts":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:volumes":{}}}`
	kubelet := `{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Initialized\"}":{".":{},"f:status":{},"f:type":{}},"k:{\"type\":\"Ready\"}":{".":{},"f:status":{},"f:type":{}}},"f:containerStatuses":{},"f:hostIP":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"` + ip + `\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: name, GenerateName: app + "-" + hash + "-", Namespace: fmt.Sprintf("team-%d", d%20), UID: uid(rng), ResourceVersion: fmt.Sprint(1000 + i), CreationTimestamp: created,
			Labels: labels, Annotations: map[string]string{"checksum/config": fmt.Sprintf("%064x", d), "prometheus.io/scrape": "true"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: app + "-" + hash, UID: owner, Controller: &yes, BlockOwnerDeletion: &yes}},
			ManagedFields: []metav1.ManagedFieldsEntry{
				{Manager: "kube-controller-manager", Operation: "Update", APIVersion: "v1", Time: &created, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(manager)}},
				{Manager: "kubelet", Operation: "Update", APIVersion: "v1", Time: &created, FieldsType: "FieldsV1", FieldsV1: &metav1.FieldsV1{Raw: []byte(kubelet)}, Subresource: "status"},
			},
		},
		Spec: corev1.PodSpec{
			Volumes: []corev1.Volume{
				{Name: "config", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: app}, DefaultMode: &mode}}},
				{Name: "tmp", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
				{Name: token, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: &mode, Sources: []corev1.VolumeProjection{
					{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: &seconds, Path: "token"}},
					{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}}}}}},
			},
			Containers: containers, RestartPolicy: "Always", TerminationGracePeriodSeconds: &seconds, DNSPolicy: "ClusterFirst", ServiceAccountName: app, DeprecatedServiceAccount: app,
			NodeName: node, SecurityContext: &corev1.PodSecurityContext{FSGroup: &root}, SchedulerName: "default-scheduler",
			Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
				{Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: labels}, TopologyKey: "kubernetes.io/hostname"}}}}},
			Tolerations: []corev1.Toleration{{Key: "node.kubernetes.io/not-ready", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}, {Key: "node.kubernetes.io/unreachable", Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds}},
		},
		Status: corev1.PodStatus{Phase: "Running", Conditions: conditions, HostIP: fmt.Sprintf("192.168.0.%d", i%500/2), PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, StartTime: &created, ContainerStatuses: statuses, QOSClass: "Burstable"},
	}
}
