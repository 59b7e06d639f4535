// Package examples runs the programs of the module examples as their users do: as processes
// that find a cluster by KUBECONFIG. Programs with custom resources run on the real API
// server, those with pods, which it does not have, on the one in memory, over HTTP.
package examples

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/yaml"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/test/apiserver"
)

const (
	module = "../../examples"
	// timeout limits each wait, which turns a hang into a failure, also on a machine that is busy with
	// other programs.
	timeout = 5 * time.Minute
)

var orders = schema.GroupVersionResource{Group: "shop.example.com", Version: "v1", Resource: "orders"}

// TestExamples checks the output of each program, and its effects in the API.
func TestExamples(t *testing.T) {
	programs := build(t)
	onServer := func(t *testing.T) (*rest.Config, dynamic.NamespaceableResourceInterface) {
		server, err := apiserver.Start(t.Context(), apiserver.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Stop)
		if err := errors.Join(server.InstallCRDs(t.Context(), filepath.Join(module, "config", "crd")), server.InstallLeases(t.Context())); err != nil {
			t.Fatal(err)
		}
		client, err := dynamic.NewForConfig(server.Config())
		if err != nil {
			t.Fatal(err)
		}
		return server.Config(), client.Resource(orders)
	}

	t.Run("on the API server", func(t *testing.T) {
		config, orders := onServer(t)
		t.Run("controller", func(t *testing.T) {
			example := programs.start(t, config, "controller")
			create(t, orders, "default", "first", "north")
			example.prints("north: reserved for default/first")
			reserved := func(name string) {
				t.Helper()
				eventually(t, func() error {
					order, err := orders.Namespace("default").Get(t.Context(), name, metav1.GetOptions{})
					if err != nil {
						return err
					}
					if phase, _, _ := unstructured.NestedString(order.Object, "status", "phase"); phase != "Reserved" {
						return fmt.Errorf("order is %q, want it reserved", phase)
					}
					return nil
				})
			}
			reserved("first")
			if err := orders.Namespace("default").Delete(t.Context(), "first", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			example.prints("north: released by default/first")
			eventually(t, func() error {
				if _, err := orders.Namespace("default").Get(t.Context(), "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
					return fmt.Errorf("after the deletion: got %v, want that it is not found", err)
				}
				return nil
			})
			standby := programs.start(t, config, "controller")
			standby.prints("standby: ")
			create(t, orders, "default", "second", "north")
			example.prints("north: reserved for default/second")
			reserved("second")
			example.stop()
			standby.prints("leader: ")
			create(t, orders, "default", "third", "south")
			standby.prints("south: reserved for default/third")
			standby.stop()
			if output := standby.output() + standby.stderr.String(); !strings.Contains(output, "fence=") || strings.Contains(output, "default/second") {
				t.Errorf("the new leader has no fence, or does the work of the former one:\n%s", output)
			}
		})
		t.Run("namespaces", func(t *testing.T) {
			create(t, orders, "blue", "first", "north")
			create(t, orders, "green", "first", "south")
			create(t, orders, "red", "first", "north")
			example := programs.start(t, config, "namespaces", "-warehouse", "north", "blue", "green")
			example.prints("1 orders in 2 namespaces are from north")
			example.prints("order blue/first")
			create(t, orders, "red", "second", "north")
			create(t, orders, "green", "second", "north")
			example.prints("order green/second")
			example.stop()
			if output := example.output(); strings.Contains(output, "red/") {
				t.Errorf("got orders of a namespace that was not named:\n%s", output)
			}
		})
		t.Run("metadata", func(t *testing.T) {
			example := programs.start(t, config, "metadata", "orders.v1.shop.example.com")
			create(t, orders, "white", "first", "north")
			example.prints(`"white": 1 of `)
		})
		t.Run("metadata of what is no resource", func(t *testing.T) {
			if output, err := programs.command(t, config, "metadata", "orders").CombinedOutput(); err == nil || !strings.Contains(string(output), "no version") {
				t.Errorf("got %v and %q, want to be told what a resource is", err, output)
			}
		})
	})
	t.Run("in memory", func(t *testing.T) {
		memory := cachetest.NewServer()
		pods := cachetest.ServeObjects(memory, corev1.SchemeGroupVersion.WithResource("pods"), pod("a", "one"), pod("b", "one"))
		cachetest.Serve(memory, orders, "Order", cachetest.NewAPI(order("default", "first", "north")))
		server := httptest.NewServer(memory)
		t.Cleanup(server.Close)
		config := &rest.Config{Host: server.URL}
		t.Run("pods", func(t *testing.T) {
			example := programs.start(t, config, "pods")
			example.prints("node one: 2 pods")
			if _, err := pods.Create(pod("c", "two")); err != nil {
				t.Fatal(err)
			}
			example.prints("node two: 1 pods")
		})
		t.Run("shards", func(t *testing.T) {
			cachetest.Serve(memory, coordinationv1.SchemeGroupVersion.WithResource("leases"), "Lease", cachetest.NewAPI[*coordinationv1.Lease]())
			example := programs.start(t, config, "shards")
			example.prints("works on default/a") // after the wait of a new group
		})
		t.Run("slim", func(t *testing.T) {
			example := programs.start(t, config, "slim")
			example.prints("node one: 2 running")
			ended := pod("d", "one")
			ended.Status.Phase = corev1.PodSucceeded
			if _, err := pods.Create(ended); err != nil {
				t.Fatal(err)
			}
			running := pod("e", "one")
			if _, err := pods.Create(running); err != nil {
				t.Fatal(err)
			}
			example.prints("node one: 3 running")
		})
		// A manager asks for the list of groups, which the API server of the tests, being
		// only a part of Kubernetes', does not have.
		t.Run("manager", func(t *testing.T) {
			metrics, probes := freeAddress(t), freeAddress(t)
			programs.start(t, config, "manager", "-metrics", metrics, "-probes", probes).prints("order default/first is reserved")
			for url, want := range map[string]string{
				probes + "/healthz?verbose":                                "[+]informers ok",
				probes + "/readyz?verbose":                                 "[+]informers ok",
				metrics + "/metrics":                                       `informergen_informer_synced{factory="",informer="orders.v1.shop.example.com"} 1`,
				metrics + "/debug/informers?format=json&key=default/first": `"name": "orders.v1.shop.example.com"`,
			} {
				eventually(t, func() error { return serves("http://"+url, want) })
			}
		})
	})
}

// Each folder of the module with a program runs in TestExamples, is on the page of the
// examples, and says at its top how to run it.
func TestEachExampleRuns(t *testing.T) {
	self, err := os.ReadFile("examples_test.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(module, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	mains, err := filepath.Glob(filepath.Join(module, "*", "main.go"))
	if err != nil || len(mains) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range mains {
		name := filepath.Base(filepath.Dir(file))
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		comment, _, _ := strings.Cut(string(source), "\npackage main\n")
		if !strings.Contains(comment, "//\tgo run ./"+name) {
			t.Errorf("%s: its comment does not say how to run it", file)
		}
		if !strings.Contains(string(self), fmt.Sprintf("t.Run(%q", name)) {
			t.Errorf("%s is not run", file)
		}
		if !strings.Contains(string(page), "]("+name+"/") {
			t.Errorf("README.md of the examples does not have %s", name)
		}
	}
}

// The sample is an order that the API server accepts.
func TestSample(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(module, "config", "samples", "order.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	sample := map[string]any{}
	if err := yaml.UnmarshalStrict(text, &sample); err != nil {
		t.Fatal(err)
	}
	got, want := &unstructured.Unstructured{Object: sample}, order("default", "first", "north")
	if g, w := encode(t, got), encode(t, want); g != w {
		t.Errorf("got %s, want %s", g, w)
	}
}

func encode(t *testing.T, obj any) string {
	t.Helper()
	text, err := json.Marshal(obj)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func order(namespace, name, warehouse string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": orders.GroupVersion().String(),
		"kind":       "Order",
		"metadata":   map[string]any{"namespace": namespace, "name": name},
		"spec":       map[string]any{"warehouse": warehouse},
	}}
}

func create(t *testing.T, orders dynamic.NamespaceableResourceInterface, namespace, name, warehouse string) {
	t.Helper()
	if _, err := orders.Namespace(namespace).Create(t.Context(), order(namespace, name, warehouse), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name},
		Spec:       corev1.PodSpec{NodeName: node},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
}

// freeAddress returns an address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// serves returns an error unless the answer to a GET is OK and has a text.
func serves(url, want string) error {
	response, err := http.Get(url)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && (response.StatusCode != http.StatusOK || !strings.Contains(string(text), want)) {
		return fmt.Errorf("%s: %s without %q: %s", url, response.Status, want, text)
	}
	return err
}

// eventually calls check until it returns nil.
func eventually(t *testing.T, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// programs is the folder of the executables.
type programs string

func build(t *testing.T) programs {
	t.Helper()
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), "go", "build", "-o", dir+string(filepath.Separator), "./...")
	command.Dir = module
	if output, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, output)
	}
	return programs(dir)
}

// command returns a program that finds the cluster of config by KUBECONFIG.
func (p programs) command(t *testing.T, config *rest.Config, name string, args ...string) *exec.Cmd {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	cluster := &api.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData, TLSServerName: config.ServerName}
	kubeconfig := api.Config{
		Clusters:       map[string]*api.Cluster{"test": cluster},
		AuthInfos:      map[string]*api.AuthInfo{"test": {Token: config.BearerToken}},
		Contexts:       map[string]*api.Context{"test": {Cluster: "test", AuthInfo: "test"}},
		CurrentContext: "test",
	}
	if err := clientcmd.WriteToFile(kubeconfig, file); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(filepath.Join(string(p), name), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+file)
	return command
}

// start starts a program, which is interrupted at the end of the test and must then end in
// order.
func (p programs) start(t *testing.T, config *rest.Config, name string, args ...string) *example {
	t.Helper()
	e := &example{t: t, command: p.command(t, config, name, args...), printed: make(chan struct{}, 1)}
	stdout, err := e.command.StdoutPipe()
	if err == nil {
		e.command.Stderr = &e.stderr
		err = e.command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	e.reading.Go(func() { e.read(stdout) })
	t.Cleanup(e.stop)
	return e
}

// example is a program that runs.
type example struct {
	t       *testing.T
	command *exec.Cmd
	stderr  strings.Builder // read it after stop
	reading sync.WaitGroup
	stopped sync.Once

	mu    sync.Mutex
	lines []string

	printed chan struct{} // has an element when there is a new line; never closed
}

func (e *example) read(stdout io.Reader) {
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		e.mu.Lock()
		e.lines = append(e.lines, lines.Text())
		e.mu.Unlock()
		select {
		case e.printed <- struct{}{}:
		default:
		}
	}
}

func (e *example) output() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.lines, "\n")
}

// prints waits until the program has printed a line that begins with want.
func (e *example) prints(want string) {
	e.t.Helper()
	deadline := time.After(timeout)
	for !strings.Contains("\n"+e.output(), "\n"+want) {
		select {
		case <-e.printed:
		case <-deadline:
			e.stop()
			e.t.Fatalf("did not print %q within %s, but\n%s\n%s", want, timeout, e.output(), e.stderr.String())
		}
	}
}

// stop interrupts the program and waits for its end.
func (e *example) stop() {
	e.stopped.Do(func() {
		err := e.command.Process.Signal(os.Interrupt)
		watchdog := time.AfterFunc(timeout, func() { e.command.Process.Kill() })
		defer watchdog.Stop()
		e.reading.Wait()
		if err := errors.Join(err, e.command.Wait()); err != nil {
			e.t.Errorf("%s: after an interrupt: %v\n%s", e.command, err, e.stderr.String())
		}
	})
}
