//go:build before37

package conformance

import clientgocache "github.com/informer-gen/informer-gen/runtime/clientgo/cache"

var shutDownEventHandler = clientgocache.ShutDownEventHandler
