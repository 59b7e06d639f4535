// Shards is a controller whose replicas divide the pods of a cluster among them: each has a part
// of them in memory and works on it. deploy.yaml runs it in a cluster.
//
// Run it several times on the cluster of your kubeconfig; it needs permission to list and watch
// pods, and to create, delete, list and update Leases in the namespace "default":
//
//	go run ./shards
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sync/errgroup"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/clients"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/shard"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// leases is the client of Leases, with or without a clientset. It writes JSON, as custom resources need.
var leases = clients.NewResource[*coordinationv1.Lease, *coordinationv1.LeaseList](coordinationv1.SchemeGroupVersion.WithKind("Lease"), "leases")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err == nil {
		err = run(ctx, config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shards:", err)
		os.Exit(1)
	}
}

// run works on the pods of this replica until ctx ends.
func run(ctx context.Context, config *rest.Config) error {
	config = rest.CopyConfig(config)
	config.QPS = -1 // by default, five requests a second: slots would take some seconds longer
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	host, err := os.Hostname() // in a cluster, the name of the pod
	if err != nil {
		return err
	}
	member, err := membership.New(leases.Client(client, "default"), membership.Options{
		Group:    "pods",
		Identity: fmt.Sprintf("%s-%d", host, os.Getpid()), // no other replica has it, also on one machine
	})
	if err != nil {
		return err
	}
	podsOfAll := source.New[*corev1.Pod](client, corev1.SchemeGroupVersion.WithResource("pods"), "")
	pods := cache.New(shard.Source(podsOfAll, member.Shard()), cache.Options[*corev1.Pod]{})
	work := membership.Only(member, pods.Store().Get, func(_ context.Context, key types.NamespacedName) (controller.Result, error) {
		fmt.Println("works on", key)
		return controller.Result{}, nil
	})
	c, err := controller.New("pods", work, controller.Options{}, controller.KeysOf(pods))
	if err != nil {
		return err
	}
	membership.Enqueue(member, pods.Store().All, c.Enqueue)
	go serve(member)

	running, ctx := errgroup.WithContext(ctx)
	running.Go(func() error { return pods.Run(ctx) })
	running.Go(func() error { return c.Run(ctx) })
	running.Go(func() error { return member.Run(ctx) })
	return running.Wait()
}

// serve answers readiness probes. Several replicas on one machine can do without.
func serve(member *membership.Member) {
	http.HandleFunc("/readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s := member.Status(); s.Phase != membership.Active {
			http.Error(w, string(s.Phase)+": "+s.Waiting, http.StatusServiceUnavailable)
		}
	})
	_ = http.ListenAndServe(":8080", nil)
}
