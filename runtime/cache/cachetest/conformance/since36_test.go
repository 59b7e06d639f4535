//go:build !before36

package conformance

import "k8s.io/client-go/tools/cache"

type (
	syncResult   = cache.SyncResult
	informerName = cache.InformerName
	doneChecker  = cache.DoneChecker
)

var (
	newInformerName = cache.NewInformerName
	isDone          = cache.IsDone
	waitFor         = cache.WaitFor
)
