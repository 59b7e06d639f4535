//go:build !before35

package protocol

import "k8s.io/apimachinery/pkg/util/resourceversion"

// compare orders two resourceVersions like strings.Compare. It fails for a version that has no order.
func compare(a, b string) (int, error) { return resourceversion.CompareResourceVersion(a, b) }
