package generate

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// cluster is the cluster of a user: an API server, and a program that the user runs on it.
type cluster struct {
	t          *testing.T
	kubeconfig string
	client     dynamic.Interface
	discovery  discovery.DiscoveryInterface
	// ports are the ports that the program listens on, by the ports of the page.
	ports map[string]string
	// answers are the responses to curl, and phases those that kubectl has read.
	answers map[string]string
	phases  []string
}

// serve does what "make server" does: it runs the program of the API server, which prints the
// kubeconfig, until the test ends.
func (c *cluster) serve() {
	c.t.Helper()
	dir := c.t.TempDir()
	program := filepath.Join(dir, "server")
	if output, err := exec.Command("go", "build", "-o", program, "../server").CombinedOutput(); err != nil {
		c.t.Fatalf("%v: %s", err, output)
	}
	c.kubeconfig = filepath.Join(dir, "kubeconfig")
	file, err := os.Create(c.kubeconfig)
	if err != nil {
		c.t.Fatal(err)
	}
	defer file.Close()
	c.start(exec.Command(program), file, func(string) bool { return true })
	c.eventually(func() error {
		config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
		if err != nil {
			return err
		}
		if c.client, err = dynamic.NewForConfig(config); err != nil {
			return err
		}
		c.discovery, err = discovery.NewDiscoveryClientForConfig(config)
		return err
	})
}

// start starts a program, until the test ends: then it must end in good order, and what it has
// logged must be right. Its standard output goes to a file, or to the log if that is nil.
func (c *cluster) start(command *exec.Cmd, stdout *os.File, right func(log string) bool) {
	c.t.Helper()
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	if stdout != nil {
		command.Stdout = stdout
	}
	if err := command.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() {
		err := command.Process.Signal(os.Interrupt)
		waited, log := command.Wait(), output.String()
		if err != nil || waited != nil || c.t.Failed() || !right(log) {
			c.t.Errorf("%s: %v, %v: %s", command, err, waited, log)
		}
	})
}

// run builds a program of the user and starts it, on ports that are free, until the test
// ends: then it must end in good order.
func (c *cluster) run(u *user, program string, args []string) {
	c.t.Helper()
	for _, port := range []string{"8080", "8081"} {
		c.ports[port] = freePort(c.t)
	}
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], ":8080", "127.0.0.1:"+c.ports["8080"])
	}
	args = append(args, "--health-probe-bind-address=127.0.0.1:"+c.ports["8081"])
	u.run("go", "build", "-o", "bin/manager", program)

	command := exec.Command(filepath.Join(u.dir, "bin", "manager"), args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig)
	c.start(command, nil, func(log string) bool { return inSync.MatchString(log) && started.MatchString(log) })
}

// What the program logs when it works, in the format of the manager.
var (
	inSync  = regexp.MustCompile(`INFO\tInformers are in sync\t`)
	started = regexp.MustCompile(`INFO\tController has started\t`)
)

// kubectl does what "kubectl apply -f FILE" and "kubectl get RESOURCE NAME" do, with the
// requests that kubectl begins with: the list of groups, and what each has.
func (c *cluster) kubectl(u *user, args []string) {
	c.t.Helper()
	switch args[0] {
	case "apply":
		c.apply(u, args[2])
	case "get":
		c.eventually(func() error {
			resource, err := c.mapper().ResourceFor(schema.GroupVersionResource{Resource: args[1]})
			if err != nil {
				return err
			}
			object, err := c.client.Resource(resource).Namespace("default").Get(c.t.Context(), args[2], metav1.GetOptions{})
			if err != nil {
				return err
			}
			phase, _, err := unstructured.NestedString(object.Object, "status", "phase")
			if err == nil && phase == "" {
				return fmt.Errorf("%s %s has no phase", args[1], args[2])
			}
			c.phases = append(c.phases, phase)
			return err
		})
	default:
		c.t.Errorf("docs/kubebuilder.md: nothing is done for kubectl %q", args)
	}
}

// apply creates the object that a file of the user has.
func (c *cluster) apply(u *user, file string) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(u.dir, file))
	if err != nil {
		c.t.Fatal(err)
	}
	object := new(unstructured.Unstructured)
	if err := yaml.Unmarshal(text, &object.Object); err != nil {
		c.t.Fatalf("%s: %v", file, err)
	}
	c.eventually(func() error {
		kind := object.GroupVersionKind()
		mapping, err := c.mapper().RESTMapping(kind.GroupKind(), kind.Version)
		if err != nil {
			return err
		}
		resource := dynamic.ResourceInterface(c.client.Resource(mapping.Resource))
		if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
			resource = c.client.Resource(mapping.Resource).Namespace("default")
		}
		_, err = resource.Apply(c.t.Context(), object.GetName(), object, metav1.ApplyOptions{FieldManager: "test"})
		return err
	})
}

func (c *cluster) mapper() meta.RESTMapper {
	c.t.Helper()
	groups, err := restmapper.GetAPIGroupResources(c.discovery)
	if err != nil {
		c.t.Fatal(err)
	}
	return restmapper.NewDiscoveryRESTMapper(groups)
}

var localhost = regexp.MustCompile(`localhost:(\d+)([^ ']*)`)

// curl gets what a command gets from the program.
func (c *cluster) curl(args []string) {
	c.t.Helper()
	url := localhost.FindStringSubmatch(strings.Join(args, " "))
	if url == nil {
		c.t.Fatalf("docs/kubebuilder.md: curl %q: no address", args)
	}
	c.get(url[1], url[2])
}

func (c *cluster) get(port, path string) {
	c.t.Helper()
	c.eventually(func() error {
		response, err := http.Get("http://127.0.0.1:" + c.ports[port] + path)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		text, err := io.ReadAll(response.Body)
		if err == nil && response.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s: %s", path, response.Status, text)
		}
		c.answers[path] = string(text)
		return err
	})
}

// wantFollowed wants what the page says to have become of its last commands.
func (c *cluster) wantFollowed() {
	c.t.Helper()
	c.get("8080", "/debug/informers")
	if !slices.Equal(c.phases, []string{"Reserved"}) {
		c.t.Errorf("phases of the order: got %q, want Reserved", c.phases)
	}
	for path, want := range map[string]string{
		"/healthz?verbose": `\[\+\]orders ok`,
		"/readyz?verbose":  `\[\+\]orders ok`,
		"/metrics":         `(?s)informergen_controller_reconciles_total\{[^}]*"success"\} [1-9].*informergen_informer_synced\{[^}]*\} 1`,
		"/debug/informers": `orders\.v1\.shop\.example\.com`,
	} {
		if !regexp.MustCompile(want).MatchString(c.answers[path]) {
			c.t.Errorf("%s: got %q, want %s", path, c.answers[path], want)
		}
	}
}

// eventually repeats what does not succeed at once, since the API server and the program
// work on their own.
func (c *cluster) eventually(try func() error) {
	c.t.Helper()
	deadline := time.Now().Add(5 * time.Minute) // also on a machine that is busy with other programs
	for {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			c.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
