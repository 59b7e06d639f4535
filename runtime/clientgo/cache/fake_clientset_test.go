//go:build !before35

package cache_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
)

// podsOf lists and watches pods by functions, from which a clientset can't be told.
func podsOf(clientset kubernetes.Interface) *clientgocache.ListWatch {
	return &clientgocache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
			return clientset.CoreV1().Pods("").List(ctx, options)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			return clientset.CoreV1().Pods("").Watch(ctx, options)
		},
	}
}

// toldPodsOf is podsOf for informers that ask whether the clientset has watch-lists.
func toldPodsOf(clientset kubernetes.Interface) clientgocache.ListerWatcher {
	lw := clientgocache.ToListWatcherWithWatchListSemantics(podsOf(clientset), clientset)
	return lw
}

// A fake clientset opens watch-lists, and never ends their initial events. An informer that is not told
// lists after a while, and client-go's never does: docs/testing.md has the table.
func TestFakeClientset(t *testing.T) {
	const never = time.Hour
	plain := func(c kubernetes.Interface) clientgocache.ListerWatcher { return podsOf(c) }
	here := func(lw clientgocache.ListerWatcher) clientgocache.SharedIndexInformer {
		return clientgocache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, nil)
	}
	theirs := func(lw clientgocache.ListerWatcher) clientgocache.SharedIndexInformer {
		return cache.NewSharedIndexInformer(lw, &corev1.Pod{}, 0, nil)
	}
	for _, test := range []struct {
		name            string
		pods            func(kubernetes.Interface) clientgocache.ListerWatcher
		informer        func(clientgocache.ListerWatcher) clientgocache.SharedIndexInformer
		atLeast, atMost time.Duration
	}{
		{"plain here", plain, here, 20 * time.Second, time.Minute},
		{"plain client-go", plain, theirs, never, never},
		{"told here", toldPodsOf, here, 0, time.Second},
		{"told client-go", toldPodsOf, theirs, 0, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				informer := test.informer(test.pods(fake.NewClientset(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "first"}})))
				ctx, stop := context.WithCancel(klog.NewContext(t.Context(), logr.Discard()))
				begin, ended := time.Now(), make(chan struct{})
				go func() {
					defer close(ended)
					informer.RunWithContext(ctx)
				}()
				for !informer.HasSynced() && time.Since(begin) < never {
					time.Sleep(100 * time.Millisecond)
				}
				if after := time.Since(begin); after < test.atLeast || after > test.atMost {
					t.Errorf("in sync after %v, want %v to %v", after, test.atLeast, test.atMost)
				}
				if _, exists, err := informer.GetStore().GetByKey("default/first"); exists != (test.atMost < never) || err != nil {
					t.Errorf("the pod is in the store: %v, %v", exists, err)
				}
				stop()
				<-ended
			})
		})
	}
}
