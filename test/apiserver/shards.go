package apiserver

import (
	"os"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// FilterShards sets the feature gate ShardedListAndWatch (KEP-5866) of all servers of this
// process, also of those that run and of their open watches, and returns whether that is
// possible: servers before Kubernetes 1.36 have no such gate, and other processes are older.
func FilterShards(on bool) (possible bool, err error) {
	const gate = "ShardedListAndWatch"
	gates := utilfeature.DefaultMutableFeatureGate
	if _, known := gates.GetAll()[gate]; !known || os.Getenv(Program) != "" {
		return false, nil
	}
	return true, gates.SetFromMap(map[string]bool{gate: on})
}
