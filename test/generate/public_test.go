package generate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// One command gives code that compiles for the API packages of public projects,
// which are named by import path and are not in the project that runs it. Each
// has another layout. Where code-generator can do the same, the API is the same.
func TestPublicProjects(t *testing.T) {
	if sharePercent < 100 {
		t.Skip("the projects need newer libraries; make users has some of this minor")
	}
	t.Parallel()
	tools := tools{buildTool(t), build(t, scratch.UpstreamListerGen, scratch.UpstreamInformerGen)}
	for _, c := range []struct {
		name      string
		clientset string
		inputs    []string
		// leads are ways from the factory f to a typed informer.
		leads []string
	}{{
		// Kubebuilder markers only, no clientset, groups in folders of the same
		// name: api/bootstrap/kubeadm and api/controlplane/kubeadm.
		name: "cluster-api", inputs: []string{"sigs.k8s.io/cluster-api/api/..."},
		leads: []string{
			"f.Cluster().V1beta2().Clusters()", "f.Bootstrap().V1beta2().KubeadmConfigs()", "f.Controlplane().V1beta2().KubeadmControlPlanes()",
			"f.Ipam().V1alpha1().IPAddresses()", "f.Addons().V1beta1().ClusterResourceSets()", "f.Runtime().V1beta2().ExtensionConfigs()",
		},
	}, {
		// +genclient tags, and of what upstream's output refers to only a
		// GroupVersion.
		name: "flux source-controller", inputs: []string{"github.com/fluxcd/source-controller/api/..."},
		leads: []string{"f.Source().V1().GitRepositories()", "f.Source().V1().OCIRepositories()"},
	}, {
		// There is no group in the path, two groups have the same first part, and types are defined by the
		// types of another version.
		name: "gateway-api", inputs: []string{"sigs.k8s.io/gateway-api/apis/...", "sigs.k8s.io/gateway-api/apisx/..."},
		clientset: "sigs.k8s.io/gateway-api/pkg/client/clientset/versioned",
		leads:     []string{"f.Gateway().V1().HTTPRoutes()", "f.Gateway().V1alpha2().GRPCRoutes()", "f.Experimental().V1alpha1().XMeshes()"},
	}, {
		// Folders named otherwise than the groups, //+genclient without a space.
		name: "external-snapshotter", inputs: []string{"github.com/kubernetes-csi/external-snapshotter/client/v8/apis/..."},
		clientset: "github.com/kubernetes-csi/external-snapshotter/client/v8/clientset/versioned",
		leads:     []string{"f.Snapshot().V1().VolumeSnapshots()", "f.Groupsnapshot().V1beta2().VolumeGroupSnapshotContents()"},
	}} {
		t.Run(c.name, func(t *testing.T) {
			dir := publicProject(t)
			if c.clientset == "" {
				mustRun(t, dir, tools.ours, c.inputs...)
				write(t, filepath.Join(dir, "pkg/generated/use/use.go"), use("example.com/projects/pkg/generated/informers", c.leads))
				check(t, dir, "example.com/projects", "pkg/generated")
				return
			}
			write(t, filepath.Join(dir, "ours/use/use.go"), use("example.com/projects/ours/informers/externalversions", c.leads))
			tools.sameAPI(t, dir, "example.com/projects", input{patterns: c.inputs, informers: []string{"--versioned-clientset-package", c.clientset}})
		})
	}
}

// publicProject is the module of testdata/projects, with all its dependencies at
// the versions there.
func publicProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"go.mod", "go.sum", "projects.go"} {
		text, err := os.ReadFile(filepath.Join("testdata", "projects", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), strings.ReplaceAll(string(text), "../../../..", checkout(t)))
	}
	return dir
}

// use is a program's use of a factory.
func use(factory string, leads []string) string {
	var b strings.Builder
	b.WriteString("package use\n\nimport informers \"" + factory + "\"\n\nfunc run(f informers.SharedInformerFactory) {\n")
	for _, lead := range leads {
		b.WriteString("\t_, _ = " + lead + ".TypedInformer(), " + lead + ".Lister()\n")
	}
	return b.String() + "}\n"
}
