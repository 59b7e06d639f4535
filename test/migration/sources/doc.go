// Package sources is code as people write it against client-go's informers, with
// its tests: it imports nothing of this module. The test of package migration
// runs it as it is, and again with client-go's import paths replaced.
package sources
