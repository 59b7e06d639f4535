package e2e

import (
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	sampleinformers "github.com/informer-gen/informer-gen/testdata/samplecontroller/generated/informers/externalversions"
	fooinformers "github.com/informer-gen/informer-gen/testdata/samplecontroller/generated/informers/externalversions/samplecontroller/v1alpha1"
	samplev1alpha1 "github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/apis/samplecontroller/v1alpha1"
	"github.com/informer-gen/informer-gen/testdata/samplecontroller/pkg/clientset/versioned"
)

// Generated listers find objects by a marked field, as the server has them.
func TestIndexes(t *testing.T) {
	cfg, _ := playground(t, foos)
	ctx := t.Context()
	clientset, err := versioned.NewForConfig(cfg)
	if err != nil {
		t.Fatal(err)
	}
	client := clientset.SamplecontrollerV1alpha1()
	var created []*samplev1alpha1.Foo
	for _, namespace := range []string{"index-a", "index-b"} {
		foo := &samplev1alpha1.Foo{ObjectMeta: metav1.ObjectMeta{Name: "foo"}, Spec: samplev1alpha1.FooSpec{DeploymentName: "indexed", Replicas: new(int32)}}
		foo, err := client.Foos(namespace).Create(ctx, foo, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		created = append(created, foo)
	}

	factory := sampleinformers.NewSharedInformerFactory(clientset, 0)
	defer factory.Shutdown()
	informer := factory.Samplecontroller().V1alpha1().Foos()
	updates := make(chan string, 1)
	if _, err := informer.TypedInformer().AddTypedEventHandler(fooinformers.FooHandlerFuncs{
		UpdateFunc: func(_, foo *samplev1alpha1.Foo) { updates <- foo.Spec.DeploymentName },
	}); err != nil {
		t.Fatal(err)
	}
	factory.StartWithContext(ctx)
	if err := factory.WaitForSync(ctx); err != nil {
		t.Fatal(err)
	}
	check := func(name string, all, inA int) {
		t.Helper()
		found, err := informer.Lister().ByDeploymentName(name)
		if in := slices.Collect(informer.Lister().Foos("index-a").AllByDeploymentName(name)); err != nil || len(found) != all || len(in) != inA {
			t.Errorf("%s: %d, %v, and %d in a namespace; want %d and %d", name, len(found), err, len(in), all, inA)
		}
	}
	// A list from the watch cache may be older than what was written: the rest comes as events.
	eventually(t, func() error {
		if found, err := informer.Lister().ByDeploymentName("indexed"); err != nil || len(found) < 2 {
			return fmt.Errorf("%d of 2 are indexed: %v", len(found), err)
		}
		return nil
	})
	check("indexed", 2, 1)
	check("moved", 0, 0)

	created[0].Spec.DeploymentName = "moved"
	if _, err := client.Foos("index-a").Update(ctx, created[0], metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	<-updates
	check("indexed", 1, 0)
	check("moved", 1, 1)
}
