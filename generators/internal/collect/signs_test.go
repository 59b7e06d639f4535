package collect

import "testing"

// A package that only a pattern with ... matches is parsed if it may declare API
// types, and not because it uses some.
func TestSignsOfAPITypes(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		"\tmetav1.ObjectMeta `json:\"metadata\"`\n": true,
		"\tObjectMeta\n":                       true,
		"\t*v1.ObjectMeta // of the object\n":  false, // nobody embeds a pointer to it
		"type T struct{ v1.ObjectMeta }":       true,
		"\tObjectMeta: metav1.ObjectMeta{\n":   false,
		"\tmeta := pod.ObjectMeta\n":           false,
		"\treturn o.ObjectMeta.Name\n":         false,
		"func f(m metav1.ObjectMeta) {\n":      false,
		"// +genclient\n":                      true,
		"// +kubebuilder:subresource:status\n": true,
		"// +kubebuilder:rbac:groups=apps\n":   false,
	} {
		if got := mayDeclare([]byte(source)); got != want {
			t.Errorf("%q: got %v", source, got)
		}
	}
}
