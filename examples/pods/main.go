// Pods follows the pods of a cluster without generated code and without a clientset, and
// prints how many run on each node when that changes.
//
// Run it on the cluster of your kubeconfig; it needs permission to list and watch pods:
//
//	go run ./pods
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/source"
)

// byNode finds the pods of a node.
var byNode = cache.Index[*corev1.Pod]{
	Name:  "node",
	Value: func(pod *corev1.Pod) string { return pod.Spec.NodeName },
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(clientcmd.NewDefaultClientConfigLoadingRules(), nil).ClientConfig()
	if err == nil {
		err = run(ctx, config)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pods:", err)
		os.Exit(1)
	}
}

// run follows pods until ctx ends.
func run(ctx context.Context, config *rest.Config) error {
	client, err := source.NewClient(config)
	if err != nil {
		return err
	}
	informer := cache.New(
		source.New[*corev1.Pod](client, corev1.SchemeGroupVersion.WithResource("pods"), ""),
		cache.Options[*corev1.Pod]{Indexes: []cache.Index[*corev1.Pod]{byNode}},
	)
	// A handler of batches is called once for all that has happened since its last call.
	_, err = informer.AddHandler(cache.InBatches(func(events []cache.Event[*corev1.Pod]) {
		nodes := map[string]bool{}
		for _, event := range events {
			nodes[event.Object.Spec.NodeName] = true
		}
		delete(nodes, "") // of pods that wait for a node
		for node := range nodes {
			pods, err := byNode.Find(informer.Store(), node)
			if err != nil {
				fmt.Fprintln(os.Stderr, "pods:", err) // the index is not of this informer
			}
			fmt.Printf("node %s: %d pods\n", node, len(pods))
		}
	}), cache.HandlerOptions{})
	if err != nil {
		return err
	}
	return informer.Run(ctx)
}
