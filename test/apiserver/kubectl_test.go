package apiserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// kubectl finds, creates, changes, shows and deletes what the server has, of definitions that
// it has created itself.
func TestKubectl(t *testing.T) {
	if _, err := exec.LookPath("kubectl"); err != nil {
		t.Skip("kubectl is not installed")
	}
	server, err := Start(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Stop()
	dir := t.TempDir()
	kubeconfig, err := server.Kubeconfig()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"kubeconfig": string(kubeconfig), "crd.yaml": gadgets, "small.yaml": gadget, "large.yaml": strings.Replace(gadget, "small", "large", 1)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct{ command, want string }{
		{"api-versions", "apiextensions.k8s.io/v1\n"},
		{"apply -f crd.yaml", "customresourcedefinition.apiextensions.k8s.io/gadgets.example.com created\n"},
		{"wait --for=condition=Established crd/gadgets.example.com", "customresourcedefinition.apiextensions.k8s.io/gadgets.example.com condition met\n"},
		{"apply -f small.yaml", "gadget.example.com/first created\n"},
		{"apply -f large.yaml", "gadget.example.com/first configured\n"},
		{"apply --server-side -f large.yaml --force-conflicts", "gadget.example.com/first serverside-applied\n"},
		{"get gadgets --no-headers -o custom-columns=N:.metadata.name,S:.spec.size", "first   large\n"},
		{"get gd first -o jsonpath={.spec.size}", "large"},
		{"delete gadget first", "gadget.example.com \"first\" deleted\n"},
		{"get gadgets -o name", ""},
	} {
		command := exec.CommandContext(t.Context(), "kubectl", strings.Fields(step.command)...)
		command.Dir = dir
		command.Env = append(os.Environ(), "KUBECONFIG=kubeconfig", "HOME="+dir)
		got, err := command.CombinedOutput()
		if err != nil || string(got) != step.want {
			t.Fatalf("kubectl %s: got %v and %q, want %q", step.command, err, got, step.want)
		}
	}
}

const gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gadgets.example.com
spec:
  group: example.com
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList, shortNames: [gd]}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: string}
`

const gadget = `apiVersion: example.com/v1
kind: Gadget
metadata:
  name: first
spec:
  size: small
`
