// Package generated has what generated code calls, and nothing that is meant to be written by
// hand: it may change with any version that has a new UpgradeOrRegenerate. What users of
// generated factories name is in runtime/factory.
//
//	generated Foos()            ─► Access: the informer, typed, and its lister
//	          Foos().Informer() ─► InformerFor of the factory ─► Scope: its options
//	                                                          ─► fooObjects: list and watch
//	                                                          ─► factory.NewInformer
//
// A package that names a generic type compiles all of its methods. So what is called here has
// type parameters only where its results do.
package generated

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// UpgradeOrRegenerate2 is named by generated code, so that a runtime that is older than
// the code is an error of the compiler, as is a newer one that does not have what the code
// calls any more.
const UpgradeOrRegenerate2 = true

// TweakListOptionsFunc changes the options of each list and watch.
type TweakListOptionsFunc = func(*metav1.ListOptions)

// Status says what an informer is doing, and what went wrong lately.
type Status = cache.Status
