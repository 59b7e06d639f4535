package apiserver

import (
	"os"

	genericfeatures "k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// FilterShards sets the feature gate ShardedListAndWatch (KEP-5866) of all servers of this
// process, also of those that run and of their open watches, and returns whether that is
// possible: a server of another process is of a version without the gate.
func FilterShards(on bool) (possible bool, err error) {
	if os.Getenv(Program) != "" {
		return false, nil
	}
	return true, utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(genericfeatures.ShardedListAndWatch): on})
}
