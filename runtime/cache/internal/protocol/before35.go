//go:build before35

package protocol

import (
	"cmp"
	"fmt"
	"strings"
)

// compare orders two resourceVersions like strings.Compare. It fails for a version that has no order.
func compare(a, b string) (int, error) {
	for _, version := range []string{a, b} {
		if version == "" || version[0] == '0' || strings.Trim(version, "0123456789") != "" {
			return 0, fmt.Errorf("resource version is not well formed: %s", version)
		}
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)), nil
}
