package dynamicinformer

import (
	"testing"

	"github.com/informer-gen/informer-gen/runtime/internal/apinames"
)

func TestAPIIsClientGos(t *testing.T) {
	apinames.Compare(t,
		"github.com/informer-gen/informer-gen/runtime/clientgo/dynamicinformer",
		"k8s.io/client-go/dynamic/dynamicinformer",
		apinames.Exceptions{Added: "Factory New NewForClient Options"})
}
