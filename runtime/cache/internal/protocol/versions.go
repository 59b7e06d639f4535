package protocol

import "k8s.io/apimachinery/pkg/api/meta"

// ResourceVersionOf returns the version of an object, "" if it has none.
func ResourceVersionOf(obj any) string {
	if m, err := meta.Accessor(obj); err == nil {
		return m.GetResourceVersion()
	}
	return ""
}

// IsVersion reports whether a watch can begin at a resourceVersion: "" and "0" are any.
func IsVersion(resourceVersion string) bool { return resourceVersion != "" && resourceVersion != "0" }

// Newer reports whether a version is later than position, as far as they can be
// compared (KEP-5504).
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

// AtLeast reports whether version is wanted or a later one. The empty one is
// before all others.
func AtLeast(version, wanted string) (bool, error) {
	if version == "" {
		_, err := compare(wanted, wanted)
		return false, err
	}
	order, err := compare(version, wanted)
	return order >= 0, err
}
