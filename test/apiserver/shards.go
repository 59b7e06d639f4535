package apiserver

import (
	"os"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// FilterShards sets the feature gate ShardedListAndWatch (KEP-5866) of all servers of this process. Servers
// that run obey at once, also for open watches. It returns whether the gate can be set: servers before
// Kubernetes 1.36 have no such gate, and servers in other processes are older.
func FilterShards(on bool) (possible bool, err error) {
	const gate = "ShardedListAndWatch"
	gates := utilfeature.DefaultMutableFeatureGate
	if _, known := gates.GetAll()[gate]; !known || os.Getenv(Program) != "" {
		return false, nil
	}
	return true, gates.SetFromMap(map[string]bool{gate: on})
}
