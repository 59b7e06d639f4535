//go:build before35

package source

// fakeClient has a method of fake clients only.
type fakeClient interface{ ClearActions() }

// lacksWatchLists reports whether a client cannot serve watch-lists: fake ones, and those that say so
// as clients do since client-go 0.35.
func lacksWatchLists(client any) bool {
	if _, fake := client.(fakeClient); fake {
		return true
	}
	c, ok := client.(interface{ IsWatchListSemanticsUnSupported() bool })
	return ok && c.IsWatchListSemanticsUnSupported()
}
