// Package generated has what generated code calls. It is not meant to be called by hand, and may change
// with any version that has a new UpgradeOrRegenerate. Users of generated factories name what
// runtime/factory has.
//
//	generated Foos()            ─► Access: the informer, typed, and its lister
//	          Foos().Informer() ─► InformerFor of the factory ─► Scope: its options
//	                                                          ─► fooObjects: list and watch
//	                                                          ─► factory.NewInformer
//
// A package that names a generic type compiles all of its methods. So functions here have type parameters
// only where their results do.
package generated

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// UpgradeOrRegenerate2 is named by generated code. If the runtime is older than the code, or no longer has
// what the code calls, the compiler reports this name.
const UpgradeOrRegenerate2 = true

// TweakListOptionsFunc changes the options of each list and watch.
type TweakListOptionsFunc = func(*metav1.ListOptions)

// Status says what an informer is doing, and what went wrong lately.
type Status = cache.Status
