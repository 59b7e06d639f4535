//go:build before37

package cache

// addedBefore37 are the names of newer minors of client-go.
const addedBefore37 = ` DeletedObject NewTypedSharedIndexInformer Object ShutDownEventHandler TypedFilteringResourceEventHandler TypedIndexFunc TypedIndexer TypedIndexerFuncToIndexerFunc TypedIndexers TypedIndexersToIndexers TypedResourceEventHandler TypedResourceEventHandlerDetailedFuncs TypedResourceEventHandlerFuncs TypedSharedIndexInformer`

// shutDown is ShutDownEventHandler, or removes a handler of client-go's informers.
func shutDown(informer SharedInformer, handle ResourceEventHandlerRegistration) error {
	if _, ok := handle.(*registration); !ok {
		return informer.RemoveEventHandler(handle)
	}
	return ShutDownEventHandler(informer, handle)
}
