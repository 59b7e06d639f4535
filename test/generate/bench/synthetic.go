package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// typesPerPackage is about what API packages have.
const typesPerPackage = 20

// writeAPI writes API packages with a number of types in all below dir/apis, one
// group each: types with an object's metadata, a spec, a status and a list.
func writeAPI(dir string, types int) error {
	for first := 0; first < types; first += typesPerPackage {
		group := fmt.Sprintf("g%03d", first/typesPerPackage)
		pkg := filepath.Join(dir, "apis", group, "v1")
		if err := os.MkdirAll(pkg, 0o755); err != nil {
			return err
		}
		doc := fmt.Sprintf("// +groupName=%s.example.com\n\n// Package v1 is the first version of the group.\npackage v1\n", group)
		if err := os.WriteFile(filepath.Join(pkg, "doc.go"), []byte(doc), 0o644); err != nil {
			return err
		}
		var b strings.Builder
		b.WriteString("package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n")
		for n := first; n < min(first+typesPerPackage, types); n++ {
			b.WriteString(strings.ReplaceAll(apiType, "KIND", fmt.Sprintf("Kind%05d", n)))
		}
		if err := os.WriteFile(filepath.Join(pkg, "types.go"), []byte(b.String()), 0o644); err != nil {
			return err
		}
	}
	return nil
}

const apiType = `
// +genclient
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// KIND is a desired state and an observed state.
type KIND struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	// Standard object's metadata.
	// +optional
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// Spec is the desired state.
	Spec KINDSpec ` + "`json:\"spec\"`" + `
	// Status is the observed state.
	// +optional
	Status KINDStatus ` + "`json:\"status,omitempty\"`" + `
}

// KINDSpec is the desired state.
type KINDSpec struct {
	// Replicas is the desired number of replicas.
	// +optional
	Replicas *int32 ` + "`json:\"replicas,omitempty\"`" + `
	// Selector selects the pods of the replicas.
	Selector *metav1.LabelSelector ` + "`json:\"selector\"`" + `
	// Parameters are handed on.
	// +optional
	Parameters map[string]string ` + "`json:\"parameters,omitempty\"`" + `
}

// KINDStatus is the observed state.
type KINDStatus struct {
	// ObservedGeneration is the generation of the spec that the status is about.
	ObservedGeneration int64 ` + "`json:\"observedGeneration,omitempty\"`" + `
	// Conditions are the latest ones.
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition ` + "`json:\"conditions,omitempty\"`" + `
}

// KINDList is a list of them.
type KINDList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `
	Items           []KIND ` + "`json:\"items\"`" + `
}
`
