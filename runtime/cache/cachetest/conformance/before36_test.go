//go:build before36

package conformance

import clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"

type (
	syncResult   = clientgocache.SyncResult
	informerName = clientgocache.InformerName
	doneChecker  = clientgocache.DoneChecker
)

var (
	newInformerName = clientgocache.NewInformerName
	isDone          = clientgocache.IsDone
	waitFor         = clientgocache.WaitFor
)
