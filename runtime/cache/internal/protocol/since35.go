//go:build !before35

package protocol

import "k8s.io/apimachinery/pkg/util/resourceversion"

// compare orders two resourceVersions as strings.Compare does, or says which one has no order.
func compare(a, b string) (int, error) { return resourceversion.CompareResourceVersion(a, b) }
