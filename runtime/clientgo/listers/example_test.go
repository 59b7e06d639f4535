package listers_test

import (
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	"github.com/informer-gen/informer-gen/runtime/clientgo/listers"
)

// A lister over the indexer of an informer; generated listers are such ones. Here the
// indexer is filled by hand.
func Example() {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, name := range []string{"web", "db"} {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: labels.Set{"app": name}}}
		if err := indexer.Add(pod); err != nil {
			log.Fatal(err)
		}
	}

	pods := listers.New[*corev1.Pod](indexer, corev1.Resource("pods"))
	databases, err := pods.List(labels.SelectorFromSet(labels.Set{"app": "db"}))
	fmt.Println(len(databases), databases[0].Name, err)

	inDefault := listers.NewNamespaced(pods, "default")
	web, err := inDefault.Get("web")
	fmt.Println(web.Name, err)
	_, err = inDefault.Get("missing")
	fmt.Println(err)
	// Output:
	// 1 db <nil>
	// web <nil>
	// pods "missing" not found
}
