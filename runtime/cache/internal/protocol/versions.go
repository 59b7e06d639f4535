package protocol

import "k8s.io/apimachinery/pkg/api/meta"

// ResourceVersionOf returns the version of an object, or "" if it has none.
func ResourceVersionOf(obj any) string {
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetResourceVersion()
	}
	return ""
}

// IsVersion reports whether a watch can start at a resourceVersion: "" and "0" stand for any version.
func IsVersion(resourceVersion string) bool { return resourceVersion != "" && resourceVersion != "0" }

// Newer reports whether a version is later than position. Versions that can't be compared count as newer
// (KEP-5504).
func Newer(version, position string) bool {
	order, err := compare(version, position)
	return err != nil || order > 0
}

// Older reports whether a version is known to be earlier than position.
func Older(version, position string) bool {
	order, err := compare(version, position)
	return err == nil && order < 0
}

// Newest returns the later one of two versions, or the second one if they can't be compared.
func Newest(a, b string) string {
	if b == "" || Older(b, a) {
		return a
	}
	return b
}

// AtLeast reports whether version is wanted or later. The empty version is before all others. It fails for
// versions that have no order.
func AtLeast(version, wanted string) (bool, error) {
	if version == "" {
		_, err := compare(wanted, wanted)
		return false, err
	}
	order, err := compare(version, wanted)
	return order >= 0, err
}
