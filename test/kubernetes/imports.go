//go:build imports

// What generated informers and listers import: with it in view, go mod tidy
// keeps the checksums that the overlay needs.
package main

import (
	_ "github.com/informer-gen/informer-gen/runtime/clientgo/listers"
	_ "github.com/informer-gen/informer-gen/runtime/factory"
)
