package table

import "k8s.io/apimachinery/pkg/types"

// Key is what an object is found by.
type Key = types.NamespacedName
