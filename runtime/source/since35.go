//go:build !before35

package source

import "k8s.io/client-go/util/watchlist"

// lacksWatchLists reports whether a client says that it cannot serve watch-lists, as fake ones do.
func lacksWatchLists(client any) bool {
	return watchlist.DoesClientNotSupportWatchListSemantics(client)
}
