package cause_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/cause"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

type order = metav1.PartialObjectMetadata

// A handler that reports what happens says so if it may have missed something.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	api := cachetest.NewAPI(&order{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "first"}})
	// The first watch has expired, and with it the event of a change.
	api.Fail(cachetest.Fault{
		Verb: cachetest.Watch,
		Do:   func() { setState(api, "paid") },
		Err:  cachetest.Status(http.StatusGone),
	})
	orders := cache.New(api.Source(), cache.Options[*order]{DisableWatchList: true})
	reports := make(chan string)

	var why cause.Cause
	handler := cache.HandlerFuncs[*order]{Update: func(_, order *order) {
		report := fmt.Sprintf("order %s is %s", order.Name, order.Labels["state"])
		if why.Kind == cause.List {
			report += fmt.Sprintf(", maybe after other states: %v", failure.ClassOf(why.Reason))
		}
		reports <- report
	}}
	_, err := orders.AddHandler(handler, cache.HandlerOptions{Cause: &why})
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- orders.Run(ctx) }()
	fmt.Println(<-reports)
	setState(api, "shipped")
	fmt.Println(<-reports)
	stop()
	fmt.Println(<-ended)
	// Output:
	// order first is paid, maybe after other states: expired
	// order first is shipped
	// <nil>
}

func setState(api *cachetest.API[*order], state string) {
	order := api.Objects()[0]
	order.Labels = map[string]string{"state": state}
	if _, err := api.Update(order); err != nil {
		log.Fatal(err)
	}
}
