//go:build !before37

package conformance

import "k8s.io/client-go/tools/cache"

var shutDownEventHandler = cache.ShutDownEventHandler
