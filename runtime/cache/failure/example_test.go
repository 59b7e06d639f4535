package failure_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// An informer retries whatever fails. This one gives up when the server forbids it to
// list, as a command does that has to end. Here the server is one in memory.
func Example() {
	api := cachetest.NewAPI[*metav1.PartialObjectMetadata]()
	api.Fail(cachetest.Fault{Times: -1, Err: cachetest.Status(http.StatusForbidden)})

	informer := cache.New(api.Source(), cache.Options[*metav1.PartialObjectMetadata]{
		ListWatch: cache.ListWatch{OnFailure: func(_ context.Context, failed cache.Failure) cache.Decision {
			return cache.Decision{Stop: failed.Class == failure.ClassForbidden}
		}},
	})
	err := informer.Run(context.Background())
	fmt.Println(failure.ClassOf(err))
	// Output: forbidden
}

// The class of an error tells what to do next, wherever the error comes from: the server,
// the connection, or the informer itself.
func ExampleClassOf() {
	for _, err := range []error{
		cachetest.Status(http.StatusGone),
		cachetest.ErrConnectionRefused,
		fmt.Errorf("watch: %w", failure.ErrWatchIdle),
		&failure.ObjectError{Object: "ns/name", Err: errors.New("invalid quantity")},
		errors.New("something else"),
	} {
		fmt.Println(failure.ClassOf(err))
	}
	// Output:
	// expired
	// connection
	// silent
	// decode
	// other
}
