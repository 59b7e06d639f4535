package templates

import "testing"

// The rules are goimports' rules.
func TestAssumedName(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"example.com/shop":             "shop",
		"example.com/shop/v2":          "shop",
		"example.com/api/v1alpha1":     "v1alpha1",
		"example.com/go-yaml":          "yaml",
		"example.com/yaml.v3":          "yaml",
		"example.com/structured-merge": "structured",
		"v1":                           "v1",
	} {
		if got := assumedName(path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}
