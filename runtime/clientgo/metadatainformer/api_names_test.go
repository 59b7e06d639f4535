package metadatainformer

import (
	"testing"

	"github.com/informer-gen/informer-gen/runtime/internal/apinames"
)

func TestAPIIsClientGos(t *testing.T) {
	apinames.Compare(t,
		"github.com/informer-gen/informer-gen/runtime/clientgo/metadatainformer",
		"k8s.io/client-go/metadata/metadatainformer",
		apinames.Exceptions{
			Added:   "Factory New NewForClient Options",
			Changed: "SharedInformerOption", // of another unexported type
		})
}
