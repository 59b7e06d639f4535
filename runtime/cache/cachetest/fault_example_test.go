package cachetest_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// The writes of a client fail before anything is done, wait, or are done without an answer.
func ExampleFault_writes() {
	server := cachetest.NewServer()
	orders := cachetest.ServeObjects(server, corev1.SchemeGroupVersion.WithResource("configmaps"),
		&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "first"}})
	orders.Fail(
		cachetest.Fault{Verb: cachetest.Update, Times: 2, Err: cachetest.Status(http.StatusConflict)},
		cachetest.Fault{Verb: cachetest.Create, Delay: time.Minute},
		cachetest.Fault{Verb: cachetest.Delete, Opened: true, Err: cachetest.ErrConnectionReset},
		cachetest.Fault{Verb: cachetest.Patch, If: func(r cachetest.Request) bool { return r.Subresource == "status" }, Hang: true},
	)
	ctx := context.Background()
	client := kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://cachetest", Transport: server}).CoreV1().ConfigMaps("shop")
	first := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "first"}, Data: map[string]string{"phase": "shipped"}}
	for range 3 {
		_, err := client.Update(ctx, first, metav1.UpdateOptions{})
		fmt.Println("update:", err)
	}
	err := client.Delete(ctx, "first", metav1.DeleteOptions{})
	fmt.Println("delete:", err, "objects:", len(orders.Objects()))
	for _, request := range orders.Requests() {
		fmt.Printf("%s %q: fault %q\n", request.Verb, request.Name, request.Fault)
	}
	// Output:
	// update: the server reported a conflict
	// update: the server reported a conflict
	// update: <nil>
	// delete: Delete "http://cachetest/api/v1/namespaces/shop/configmaps/first": read tcp: read: connection reset by peer objects: 0
	// update "first": fault "the server reported a conflict"
	// update "first": fault "the server reported a conflict"
	// update "first": fault ""
	// delete "first": fault "read tcp: read: connection reset by peer"
}
