package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
	"github.com/informer-gen/informer-gen/test/servers/crdserver"
	shopv1alpha1 "github.com/informer-gen/informer-gen/testdata/kubebuilder/api/v1alpha1"
)

// referencesObjects is the environment variable with the number of objects. References name referred
// objects.
const (
	referencesObjects = "REFERENCES_OBJECTS"
	referred          = 50
)

// costs are the costs of an informer in a process of its own, until it is in sync.
type costs struct {
	Heap, Bytes int64
	Time        time.Duration
	Names       *cache.NamesStatus
}

func (c costs) String() string {
	return fmt.Sprintf("%.2f MB of live heap, %.2f MB received, %v, %+v", float64(c.Heap)/1e6, float64(c.Bytes)/1e6, c.Time.Round(time.Millisecond), c.Names)
}

// measurement is the work of such a process: it measures an informer of the orders of those names or,
// without any, of all orders of the namespace.
type measurement struct {
	Server      crdserver.Address
	Impersonate rest.ImpersonationConfig
	Names       []types.NamespacedName
	// ByMetadata is the number of names that go by their metadata before anything is measured.
	ByMetadata int
}

// measuring is in the environment of a process that measures what it reads.
const measuring = "REFERENCES_MEASUREMENT"

// measure measures an informer of names, or of everything, when that many names go by their metadata.
func measure(t *testing.T, config *rest.Config, byMetadata int, names ...types.NamespacedName) (c costs) {
	t.Helper()
	task, err := json.Marshal(measurement{
		crdserver.Address{Host: config.Host, Token: config.BearerToken, CAData: config.CAData, ServerName: config.ServerName},
		config.Impersonate, names, byMetadata,
	})
	if err != nil {
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), measuring+"=yes")
	process.Stdin, process.Stderr = bytes.NewReader(task), os.Stderr
	output, err := process.Output()
	if err == nil {
		err = json.Unmarshal(output, &c)
	}
	if err != nil {
		t.Fatalf("%v: %s", err, output)
	}
	return c
}

// measured measures in this process what it reads, and prints the costs.
func measured(task io.Reader) error {
	var m measurement
	if err := json.NewDecoder(task).Decode(&m); err != nil {
		return err
	}
	var c costs
	var received atomic.Int64
	config := m.Server.Config()
	config.QPS, config.Impersonate = -1, m.Impersonate
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counting{next, &received} })
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	orders := orders.gvr()
	// The connection is not the informer's.
	if _, err := source.New[*shopv1alpha1.Order](client, orders, "default").List(context.Background(), lookup(m.Names), func(any, error) {}); err != nil {
		return err
	}
	received.Store(0)
	before, began := liveHeap(), time.Now()
	objects := source.New[*shopv1alpha1.Order](client, orders, "default")
	if len(m.Names) > 0 {
		objects = references.Source[*shopv1alpha1.Order](client, orders, references.NewSet(m.Names...), references.Options{})
	}
	informer := cache.New(objects, cache.Options[*shopv1alpha1.Order]{})
	go func() { _ = informer.Run(context.Background()) }()
	if err := informer.WaitForSync(context.Background()); err != nil {
		return err
	}
	c.Time = time.Since(began)
	for s := informer.Status(); s.Phase != cache.PhaseWatching || m.ByMetadata > 0 && s.Names.ByMetadata < m.ByMetadata; s = informer.Status() {
		time.Sleep(10 * time.Millisecond)
	}
	c.Heap, c.Bytes, c.Names = liveHeap()-before, received.Load(), informer.Status().Names
	return json.NewEncoder(os.Stdout).Encode(c)
}

// lookup are the options of a list that everybody may request.
func lookup(names []types.NamespacedName) metav1.ListOptions {
	if len(names) == 0 {
		return metav1.ListOptions{Limit: 1}
	}
	return metav1.ListOptions{FieldSelector: "metadata.name=" + names[0].Name}
}

// counting counts the bytes of responses, as they come over the network.
type counting struct {
	next  http.RoundTripper
	bytes *atomic.Int64
}

func (c counting) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.next.RoundTrip(r)
	if err == nil {
		response.Body = &countingBody{response.Body, c.bytes}
	}
	return response, err
}

type countingBody struct {
	io.ReadCloser
	bytes *atomic.Int64
}

func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}

func liveHeap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// An informer of what is referred to has that and nothing else, with the permission for these
// names alone; one of many names goes by their metadata.
func TestReferences(t *testing.T) {
	objects := 1500
	if text := os.Getenv(referencesObjects); text != "" {
		var err error
		if objects, err = strconv.Atoi(text); err != nil || objects < referred {
			t.Fatalf("%s=%s: want a number of at least %d", referencesObjects, text, referred)
		}
	}
	config, writer := playground(t, orders)
	create(t, writer, objects)

	var all, few []types.NamespacedName
	reader := rest.CopyConfig(config)
	reader.Impersonate = rest.ImpersonationConfig{UserName: crdserver.Reader}
	for i := range objects {
		key := types.NamespacedName{Namespace: "default", Name: fmt.Sprint("order-", i)}
		if all = append(all, key); i%(objects/referred) == 0 && len(few) < referred {
			few = append(few, key)
			reader.Impersonate.Groups = append(reader.Impersonate.Groups, key.Name)
		}
	}
	many := all[:objects/10]
	full, named, byMetadata := measure(t, config, 0), measure(t, reader, 0, few...), measure(t, config, len(many)-32, many...)
	t.Logf("all %d objects: %v", objects, full)
	t.Logf("%d of them: %v", len(few), named)
	t.Logf("%d of them: %v", len(many), byMetadata)
	if named.Bytes*int64(objects) > 4*full.Bytes*referred {
		t.Errorf("%d of %d objects take more than four times their bytes", referred, objects)
	}
	if n := byMetadata.Names; n.Known != len(many) || n.ByMetadata < len(many)-32 {
		t.Errorf("names by metadata: %+v", n)
	}
	follows(t, config, reader, writer, few, many)
}

// follows changes what informers of names have, and wants that they follow.
func follows(t *testing.T, config, reader *rest.Config, writer dynamic.Interface, few, many []types.NamespacedName) {
	set := references.NewSet(few...)
	named, byMetadata := runInformer(t, reader, set), runInformer(t, config, references.NewSet(many...))
	set.Add(types.NamespacedName{Namespace: "default", Name: "forbidden"})
	changed := slices.Concat(few[:2], many[len(many)-2:])
	for _, key := range changed {
		obj, err := orders.client(writer, key.Namespace).Get(t.Context(), key.Name, metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		obj.SetLabels(map[string]string{"changed": "yes"})
		if _, err := orders.client(writer, key.Namespace).Update(t.Context(), obj, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, func() error {
		for _, key := range changed {
			for _, informer := range []*cache.Informer[*shopv1alpha1.Order]{named, byMetadata} {
				if got, exists, err := informer.Get(t.Context(), key); err == nil && (!exists || got.Labels["changed"] == "") {
					return fmt.Errorf("%v has not changed: %v", key, informer.Status())
				}
			}
		}
		err := named.WaitForNames(t.Context(), types.NamespacedName{Namespace: "default", Name: "forbidden"})
		if !apierrors.IsForbidden(err) {
			return fmt.Errorf("a name without permission: %v", err)
		}
		return nil
	})
}

// runInformer runs an informer of a set to the end of the test.
func runInformer(t *testing.T, config *rest.Config, set *references.Set) *cache.Informer[*shopv1alpha1.Order] {
	t.Helper()
	informer := cache.New(references.Source[*shopv1alpha1.Order](newClient(t, config), orders.gvr(), set, references.Options{}), cache.Options[*shopv1alpha1.Order]{})
	startInformer(t, informer)
	return informer
}

// create creates orders of 4 KB that can't be compressed well.
func create(t *testing.T, client dynamic.Interface, objects int) {
	t.Helper()
	var creating sync.WaitGroup
	for worker := range 16 {
		creating.Go(func() {
			random := rand.New(rand.NewPCG(1, uint64(worker)))
			for i := worker; i < objects; i += 16 {
				var text strings.Builder
				for text.Len() < 3600 {
					fmt.Fprintf(&text, "%x", random.Uint64())
				}
				obj := orders.object("default", fmt.Sprint("order-", i), 1)
				obj.SetAnnotations(map[string]string{"data": text.String()})
				if _, err := orders.client(client, "default").Create(t.Context(), obj, metav1.CreateOptions{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	creating.Wait()
}
