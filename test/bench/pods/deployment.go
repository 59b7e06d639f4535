package pods

import (
	"fmt"
	"math/rand/v2"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// deployment holds the parts that its pods have in common.
type deployment struct {
	number          int
	namespace, name string
	// hash is the pod-template-hash, which the name of the replica set ends with.
	hash string
	// owner is the UID of the replica set.
	owner types.UID
}

func newDeployment(number int) deployment {
	random := rand.New(rand.NewPCG(uint64(number), 2))
	return deployment{
		number:    number,
		namespace: fmt.Sprintf("team-%03d", number/10),
		name:      fmt.Sprintf("service-%04d", number),
		hash:      suffix(random, 10),
		owner:     uid(random),
	}
}

// pod returns a replica as the controller manager creates it, with the defaults of the API
// server.
func (d deployment) pod(replica int, random *rand.Rand) *v1.Pod {
	set := d.name + "-" + d.hash
	labels := map[string]string{
		"app.kubernetes.io/name":       d.name,
		"app.kubernetes.io/instance":   d.name + "-production",
		"app.kubernetes.io/component":  "server",
		"app.kubernetes.io/part-of":    d.namespace,
		"app.kubernetes.io/version":    fmt.Sprintf("v1.%d.0", d.number%50),
		"app.kubernetes.io/managed-by": "Helm",
		"pod-template-hash":            d.hash,
	}
	return &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:    d.namespace,
			Name:         set + "-" + suffixOf(replica, random),
			GenerateName: set + "-",
			UID:          uid(random),
			Generation:   1,
			Labels:       labels,
			Annotations: map[string]string{
				"checksum/config":                   strings.Repeat(d.hash, 7)[:64],
				"kubectl.kubernetes.io/restartedAt": "2026-02-28T16:20:11Z",
				"prometheus.io/path":                "/metrics",
				"prometheus.io/port":                "9090",
				"prometheus.io/scrape":              "true",
			},
			OwnerReferences: []metav1.OwnerReference{{
				APIVersion: "apps/v1", Kind: "ReplicaSet", Name: set, UID: d.owner,
				Controller: new(true), BlockOwnerDeletion: new(true),
			}},
		},
		Spec: v1.PodSpec{
			Containers: []v1.Container{
				d.container("server", 8080, 5),
				d.container("proxy", 15001, 3),
			},
			Volumes: []v1.Volume{
				{Name: "config", VolumeSource: v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{
					LocalObjectReference: v1.LocalObjectReference{Name: d.name + "-config"}, DefaultMode: new(int32(420)),
				}}},
				{Name: "scratch", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}},
			},
			Affinity: &v1.Affinity{
				PodAntiAffinity: &v1.PodAntiAffinity{
					PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{
						Weight: 100,
						PodAffinityTerm: v1.PodAffinityTerm{
							LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{
								"app.kubernetes.io/name": d.name, "app.kubernetes.io/instance": d.name + "-production",
							}},
							TopologyKey: "kubernetes.io/hostname",
						},
					}},
				},
			},
			RestartPolicy:                 v1.RestartPolicyAlways,
			TerminationGracePeriodSeconds: new(int64(30)),
			DNSPolicy:                     v1.DNSClusterFirst,
			ServiceAccountName:            d.name,
			DeprecatedServiceAccount:      d.name,
			SecurityContext:               &v1.PodSecurityContext{RunAsNonRoot: new(true), FSGroup: new(int64(2000))},
			SchedulerName:                 v1.DefaultSchedulerName,
			EnableServiceLinks:            new(true),
		},
	}
}

// container returns one with a port and a number of variables of its environment.
func (d deployment) container(name string, port int32, variables int) v1.Container {
	limits := v1.ResourceList{v1.ResourceCPU: resource.MustParse("500m"), v1.ResourceMemory: resource.MustParse("512Mi")}
	requests := v1.ResourceList{v1.ResourceCPU: resource.MustParse("100m"), v1.ResourceMemory: resource.MustParse("256Mi")}
	probe := func(path string, period int32) *v1.Probe {
		return &v1.Probe{
			ProbeHandler: v1.ProbeHandler{HTTPGet: &v1.HTTPGetAction{
				Path: path, Port: intstr.FromString("http"), Scheme: v1.URISchemeHTTP,
			}},
			InitialDelaySeconds: 5, TimeoutSeconds: 1, PeriodSeconds: period, SuccessThreshold: 1, FailureThreshold: 3,
		}
	}
	c := v1.Container{
		Name:      name,
		Image:     fmt.Sprintf("registry.example.com/%s/%s-%s:v1.%d.0", d.namespace, d.name, name, d.number%50),
		Args:      []string{"--config=/etc/" + name + "/config.yaml"},
		Ports:     []v1.ContainerPort{{Name: "http", ContainerPort: port, Protocol: v1.ProtocolTCP}},
		Resources: v1.ResourceRequirements{Limits: limits, Requests: requests},
		VolumeMounts: []v1.VolumeMount{
			{Name: "config", MountPath: "/etc/" + name, ReadOnly: true},
			{Name: "scratch", MountPath: "/tmp"},
		},
		ReadinessProbe:           probe("/readyz", 10),
		TerminationMessagePath:   v1.TerminationMessagePathDefault,
		TerminationMessagePolicy: v1.TerminationMessageReadFile,
		ImagePullPolicy:          v1.PullIfNotPresent,
		SecurityContext: &v1.SecurityContext{
			AllowPrivilegeEscalation: new(false),
			Capabilities:             &v1.Capabilities{Drop: []v1.Capability{"ALL"}},
			ReadOnlyRootFilesystem:   new(true),
		},
	}
	if name == "server" {
		c.LivenessProbe = probe("/healthz", 20)
	}
	fieldRef := func(variable, path string) v1.EnvVar {
		return v1.EnvVar{Name: variable, ValueFrom: &v1.EnvVarSource{FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path}}}
	}
	c.Env = append(c.Env, fieldRef("POD_NAME", "metadata.name"), fieldRef("POD_NAMESPACE", "metadata.namespace"))
	for i := len(c.Env); i < variables; i++ {
		c.Env = append(c.Env, v1.EnvVar{
			Name:  fmt.Sprintf("%s_SETTING_%d", strings.ToUpper(name), i),
			Value: fmt.Sprintf("http://backend-%d.%s.svc.cluster.local:8080", i, d.namespace),
		})
	}
	return c
}
