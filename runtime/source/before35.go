//go:build before35

package source

// lacksWatchLists reports whether a client says that it cannot serve watch-lists, as fake ones do
// since client-go 0.35. Before, client-go requests none by default.
func lacksWatchLists(client any) bool {
	c, ok := client.(interface{ IsWatchListSemanticsUnSupported() bool })
	return ok && c.IsWatchListSemanticsUnSupported()
}
