package conformance

// statement is one guarantee of client-go's informers.
type statement struct {
	id    string
	title string
}

// family is the statements of one subject.
type family struct {
	title      string
	statements []statement
}

// families are all statements. Their numbers are names that are cited
// elsewhere: a new one goes to the end of its family.
var families = []family{
	{"Lists", []statement{
		{"L1", "The first list is requested with resourceVersion 0 and pages of 500, a relist with the last version seen."},
		{"L2", "A list of a known version has no limit, unless a page size is set or the server is known to page."},
		{"L4", "If the list with resourceVersion 0 came in pages, all later ones are requested in pages."},
		{"L5", "A list that fails with 410 Expired, or a version that is too large, is repeated once and at once without a version."},
		{"L6", "A version that is too large is recognised by the type or the message of a cause, or by the message of the status."},
		{"L7", "A list that expires between two pages is repeated as one page of the version requested first."},
		{"L8", "A further page is requested without a version, and without how to match one."},
		{"L9", "Items are copied out of their page, so that one that is kept does not keep the page."},
		{"L10", "A panic of the list function is raised on the reflector's goroutine; a stop does not wait for a list."},
		{"L11", "The error of a list is wrapped; tables are no lists, and no objects."},
	}},
	{"Watches", []statement{
		{"W1", "A watch continues from the last version, allows bookmarks, and has a random timeout of 5 to 10 minutes."},
		{"W2", "An object of a wrong type or kind, or without metadata, is left out, and the watch continues."},
		{"W3", "Every event advances the last version; of a watch without a version, every one after the first that is no addition."},
		{"W4", "What follows an error event: 410 a list from the last version, 429 another watch, others a list."},
		{"W5", "What follows a watch that was refused: another watch if the server is busy or down, otherwise a list."},
		{"W6", "What follows a watch that the server ends: another one, or a list if it was short and empty."},
		{"W7", "A watch is stopped exactly once."},
		{"W8", "If the context has ended before the start, no request is made."},
		{"W9", "The backoff after failures grows from 0.8 seconds by a factor of 2 to 30, with jitter of up to twice that, and is reset after 2 minutes without a failure."},
	}},
	{"Watch-lists", []statement{
		{"WL1", "A watch-list requests initial events, bookmarks, and a version not older than the last."},
		{"WL2", "Nothing is stored before the bookmark that closes the initial events; the same watch goes on after it."},
		{"WL3", "Changes and deletions before that bookmark are merged into the list."},
		{"WL4", "An error before it leads to a list, unless the server is busy, down, or does not have the version."},
		{"WL5", "A watch-list that ends before the bookmark starts empty again; one that ends after it is a watch that ended."},
		{"WL6", "410 to the watch that follows is reported."},
		{"WL7", "A bookmark that never comes does not keep an informer from getting in sync."},
		{"WL8", "A client may declare that it has no watch-lists."},
		{"WL9", "The initial objects of a watch-list are transformed before they are stored."},
		{"WL10", "KUBE_WATCHLIST_INCONSISTENCY_DETECTOR=true compares each watch-list with a list."},
	}},
	{"Stores", []statement{
		{"S1", "An index follows its objects, and forgets values that none has."},
		{"S2", "An index function that fails concerns its index and object only."},
		{"S3", "A lookup in an unknown index is an error; its values are none."},
		{"S4", "Indexes can be added at any time, all of them or none."},
		{"S5", "The keys of an index are sorted."},
		{"S6", "A lookup by several values finds an object once."},
		{"S7", "The version of a store is that of the last list, bookmark, deletion with an object, or newer object."},
		{"S8", "Replace takes the place of all that was there, indexes included."},
		{"S9", "A query reads one consistent state."},
		{"S10", "A transaction does the operations that it can, and reports the others; it does not transform."},
	}},
	{"Processing", []statement{
		{"P1", "A relist replaces the store, then delivers deletions, then updates and additions in the order of the list."},
		{"P2", "The store is written before a handler is called."},
		{"P3", "A resync is an update of every object with itself."},
		{"P4", "The panic of a handler of an unshared informer ends its run."},
		{"P5", "A deletion and creation that were missed are one update."},
		{"P6", "Only the first list is initial."},
	}},
	{"Shared informers", []statement{
		{"I1", "A handler gets one event after the other, after store and indexes have changed."},
		{"I2", "A handler that is added later gets every object as initial, before anything newer."},
		{"I3", "A stopped informer accepts neither handlers nor indexes; removing a handler is no error."},
		{"I4", "A handler can be removed any number of times; two additions are two handlers; a shutdown waits for its last call."},
		{"I5", "The handle of a handler that is removed gets in sync."},
		{"I6", "A handler that panics, if the process lives, goes on with the next event after a second, and gets in sync."},
		{"I7", "An informer runs once; what is set after the start is refused; the last setting counts."},
		{"I8", "A run ends when every goroutine that it has started has ended, handlers included."},
		{"I9", "An informer is in sync with its first list; its controller only reports."},
		{"I10", "Resync periods: none without the informer's, a second at least, and after the start the informer's at least."},
		{"I11", "An update without a change is for handlers that are being resynced: all until the first resync, then those whose period it is."},
		{"I12", "The version of an object is the server's, also if a transform has removed it."},
		{"I13", "A handler that is added before the start misses nothing."},
		{"I14", "KUBE_CACHE_MUTATION_DETECTOR=true finds objects that were mutated."},
		{"I15", "Checkers have names that say what is waited for."},
	}},
	{"Factories", []statement{
		{"F1", "A factory has one informer of a type, starts those that do not run, and waits for all of them when it shuts down."},
		{"F2", "The transform of a factory is set on each informer that accepts one."},
		{"F3", "Resync periods of a factory may differ by type."},
	}},
}
