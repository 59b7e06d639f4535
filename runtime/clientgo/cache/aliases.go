package cache

import "k8s.io/client-go/tools/cache"

// The types of client-go that informers and their users exchange. Their
// documentation is client-go's.
type (
	AppendFunc                        = cache.AppendFunc
	Config                            = cache.Config
	Controller                        = cache.Controller
	CounterMetric                     = cache.CounterMetric
	DeletedFinalStateUnknown          = cache.DeletedFinalStateUnknown
	Delta                             = cache.Delta
	DeltaFIFO                         = cache.DeltaFIFO
	DeltaFIFOOptions                  = cache.DeltaFIFOOptions
	DeltaType                         = cache.DeltaType
	Deltas                            = cache.Deltas
	ExpirationCache                   = cache.ExpirationCache
	ExpirationPolicy                  = cache.ExpirationPolicy
	ExplicitKey                       = cache.ExplicitKey
	FIFO                              = cache.FIFO
	FakeCustomStore                   = cache.FakeCustomStore
	FakeExpirationPolicy              = cache.FakeExpirationPolicy
	FilteringResourceEventHandler     = cache.FilteringResourceEventHandler
	GaugeMetric                       = cache.GaugeMetric
	GenericLister                     = cache.GenericLister
	GenericNamespaceLister            = cache.GenericNamespaceLister
	Getter                            = cache.Getter
	HandlerOptions                    = cache.HandlerOptions
	Heap                              = cache.Heap
	IndexFunc                         = cache.IndexFunc
	Indexer                           = cache.Indexer
	Indexers                          = cache.Indexers
	Indices                           = cache.Indices
	InformerOptions                   = cache.InformerOptions
	InformerSynced                    = cache.InformerSynced
	KeyError                          = cache.KeyError
	KeyFunc                           = cache.KeyFunc
	KeyGetter                         = cache.KeyGetter
	KeyLister                         = cache.KeyLister
	KeyListerGetter                   = cache.KeyListerGetter
	LessFunc                          = cache.LessFunc
	ListFunc                          = cache.ListFunc
	ListWatch                         = cache.ListWatch
	ListWithContextFunc               = cache.ListWithContextFunc
	Lister                            = cache.Lister
	ListerWatcher                     = cache.ListerWatcher
	ListerWatcherWithContext          = cache.ListerWatcherWithContext
	ListerWithContext                 = cache.ListerWithContext
	MetricsProvider                   = cache.MetricsProvider
	MutationCache                     = cache.MutationCache
	MutationDetector                  = cache.MutationDetector
	ObjectName                        = cache.ObjectName
	PopProcessFunc                    = cache.PopProcessFunc
	ProcessFunc                       = cache.ProcessFunc
	Queue                             = cache.Queue
	RealFIFO                          = cache.RealFIFO
	Reflector                         = cache.Reflector
	ReflectorOptions                  = cache.ReflectorOptions
	ReflectorStore                    = cache.ReflectorStore
	ResourceEventHandler              = cache.ResourceEventHandler
	ResourceEventHandlerDetailedFuncs = cache.ResourceEventHandlerDetailedFuncs
	ResourceEventHandlerFuncs         = cache.ResourceEventHandlerFuncs
	ResourceEventHandlerRegistration  = cache.ResourceEventHandlerRegistration
	ResourceVersionComparator         = cache.ResourceVersionComparator
	ResourceVersionUpdater            = cache.ResourceVersionUpdater
	RetryWithDeadline                 = cache.RetryWithDeadline
	SharedIndexInformer               = cache.SharedIndexInformer
	SharedIndexInformerOptions        = cache.SharedIndexInformerOptions
	SharedInformer                    = cache.SharedInformer
	ShouldResyncFunc                  = cache.ShouldResyncFunc
	Store                             = cache.Store
	SummaryMetric                     = cache.SummaryMetric
	TTLPolicy                         = cache.TTLPolicy
	ThreadSafeStore                   = cache.ThreadSafeStore
	TimestampedEntry                  = cache.TimestampedEntry
	TransformFunc                     = cache.TransformFunc
	TransformingStore                 = cache.TransformingStore
	UndeltaStore                      = cache.UndeltaStore
	VeryShortWatchError               = cache.VeryShortWatchError
	WatchErrorHandler                 = cache.WatchErrorHandler
	WatchErrorHandlerWithContext      = cache.WatchErrorHandlerWithContext
	WatchFunc                         = cache.WatchFunc
	WatchFuncWithContext              = cache.WatchFuncWithContext
	Watcher                           = cache.Watcher
	WatcherWithContext                = cache.WatcherWithContext
)

// The constants of client-go that go with these types.
const (
	Added          = cache.Added
	Deleted        = cache.Deleted
	NamespaceIndex = cache.NamespaceIndex
	Replaced       = cache.Replaced
	Sync           = cache.Sync
	Updated        = cache.Updated
)

// The errors of client-go's queues.
var (
	ErrFIFOClosed             = cache.ErrFIFOClosed
	ErrZeroLengthDeltasObject = cache.ErrZeroLengthDeltasObject
)

// Functions of client-go that work with any informer or store, or that make client-go's own types. Their
// documentation is client-go's.
var (
	DefaultWatchErrorHandler               = cache.DefaultWatchErrorHandler
	DeletionHandlingMetaNamespaceKeyFunc   = cache.DeletionHandlingMetaNamespaceKeyFunc
	DeletionHandlingObjectToName           = cache.DeletionHandlingObjectToName
	IndexFuncToKeyFuncAdapter              = cache.IndexFuncToKeyFuncAdapter
	ListAll                                = cache.ListAll
	ListAllByNamespace                     = cache.ListAllByNamespace
	MetaNamespaceIndexFunc                 = cache.MetaNamespaceIndexFunc
	MetaNamespaceKeyFunc                   = cache.MetaNamespaceKeyFunc
	MetaObjectToName                       = cache.MetaObjectToName
	NamespacedNameAsObjectName             = cache.NamespacedNameAsObjectName
	New                                    = cache.New
	NewCacheMutationDetector               = cache.NewCacheMutationDetector
	NewDeltaFIFO                           = cache.NewDeltaFIFO //nolint:staticcheck // deprecated there and here
	NewDeltaFIFOWithOptions                = cache.NewDeltaFIFOWithOptions
	NewExpirationStore                     = cache.NewExpirationStore
	NewFIFO                                = cache.NewFIFO
	NewFakeExpirationStore                 = cache.NewFakeExpirationStore
	NewGenericLister                       = cache.NewGenericLister
	NewHeap                                = cache.NewHeap
	NewIntegerResourceVersionMutationCache = cache.NewIntegerResourceVersionMutationCache
	NewNamedReflector                      = cache.NewNamedReflector
	NewObjectName                          = cache.NewObjectName
	NewRealFIFO                            = cache.NewRealFIFO //nolint:staticcheck // deprecated there and here
	NewRetryWithDeadline                   = cache.NewRetryWithDeadline
	NewTTLStore                            = cache.NewTTLStore
	NewThreadSafeStore                     = cache.NewThreadSafeStore
	NewUndeltaStore                        = cache.NewUndeltaStore
	ObjectToName                           = cache.ObjectToName
	ParseObjectName                        = cache.ParseObjectName
	SetReflectorMetricsProvider            = cache.SetReflectorMetricsProvider
	SplitMetaNamespaceKey                  = cache.SplitMetaNamespaceKey
	ToListerWatcherWithContext             = cache.ToListerWatcherWithContext
	ToListerWithContext                    = cache.ToListerWithContext
	ToWatcherWithContext                   = cache.ToWatcherWithContext
	WaitForCacheSync                       = cache.WaitForCacheSync
	WaitForNamedCacheSync                  = cache.WaitForNamedCacheSync
	WaitForNamedCacheSyncWithContext       = cache.WaitForNamedCacheSyncWithContext
)
