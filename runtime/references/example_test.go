package references_test

import (
	"context"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/controller"
	"github.com/informer-gen/informer-gen/runtime/factory"
	"github.com/informer-gen/informer-gen/runtime/references"
	"github.com/informer-gen/informer-gen/runtime/source"
	fleetv1 "github.com/informer-gen/informer-gen/testdata/indexed/api/v1"
	"github.com/informer-gen/informer-gen/testdata/indexed/generated/informers"
	fleetlisters "github.com/informer-gen/informer-gen/testdata/indexed/generated/listers/fleet/v1"
)

// A controller of machines has the Secrets that they name, of all that there are. Here the API
// server is in memory.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	client, err := source.NewClient(inMemory())
	if err != nil {
		log.Fatal(err)
	}
	informerFactory := informers.NewSharedInformerFactory(client, 0)
	machines := factory.Core(informerFactory.Fleet().V1().Machines().TypedInformer())

	set := references.NewSet()
	secrets := cache.New(
		references.Source[*corev1.Secret](client, corev1.SchemeGroupVersion.WithResource("secrets"), set, references.Options{}),
		cache.Options[*corev1.Secret]{})
	named := references.By(factory.CoreIndex(fleetlisters.MachineBySecret))
	if _, err := references.Follow(set, machines, named); err != nil {
		log.Fatal(err)
	}

	done := make(chan string)
	reconcile := func(ctx context.Context, key types.NamespacedName) (controller.Result, error) {
		machine, exists := machines.Store().Get(key)
		if !exists {
			return controller.Result{}, nil
		}
		if err := secrets.WaitForNames(ctx, named(machine)...); err != nil {
			return controller.Result{}, err
		}
		secret, exists := secrets.Store().Get(named(machine)[0])
		done <- fmt.Sprintf("%s: %s is there: %v, %s", machine.Name, named(machine)[0].Name, exists, secret.Data["token"])
		return controller.Result{}, nil
	}
	c, err := controller.New("machines", reconcile, controller.Options{},
		controller.KeysOf(machines), controller.ReferrersOf(secrets, machines, named))
	if err != nil {
		log.Fatal(err)
	}

	informerFactory.StartWithContext(ctx)
	go func() { _ = secrets.Run(ctx) }()
	go func() { _ = c.Run(ctx) }()
	fmt.Println(<-done)
	fmt.Println("secrets:", secrets.Store().Len())
	_, _, err = secrets.Get(ctx, types.NamespacedName{Namespace: "default", Name: "other"})
	fmt.Println(err)
	// Output:
	// first: login is there: true, 42
	// secrets: 1
	// informer "*v1.Secret": object "default/other": unknown: not one of the names that the informer follows
}

// inMemory returns the configuration of clients of an API server with a machine and two Secrets.
func inMemory() *rest.Config {
	machine := &fleetv1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}}
	machine.Spec.Credentials = []corev1.SecretKeySelector{{LocalObjectReference: corev1.LocalObjectReference{Name: "login"}, Key: "token"}}
	server := cachetest.NewServer()
	cachetest.ServeObjects(server, fleetv1.GroupVersion.WithResource("machines"), machine)
	cachetest.ServeObjects(server, corev1.SchemeGroupVersion.WithResource("secrets"),
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "login"}, Data: map[string][]byte{"token": []byte("42")}},
		&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "other"}})
	return &rest.Config{Host: "http://cachetest", Transport: server}
}
