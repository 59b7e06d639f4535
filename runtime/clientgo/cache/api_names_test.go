package cache

import (
	"testing"

	"github.com/informer-gen/informer-gen/runtime/internal/apinames"
)

const (
	path      = "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	theirPath = "k8s.io/client-go/tools/cache"
)

// additions are the names that client-go's package does not have.
const additions = `AdapterOptions Core DeleteOnRelease HasTransform InformerMetrics Informers Released Releaser StatusOf Streaming SyncedChecker Typed TypedIndexerOf TypedInformerOf TypedObject Untyped UntypedIndexer WaitForSync` + addedBefore37 + addedBefore36 + addedBefore35

// Whatever this package shares with client-go's has the same type.
func TestAPIIsClientGos(t *testing.T) {
	apinames.Compare(t, path, theirPath, apinames.Exceptions{Added: additions, Changed: otherTypes})
}
