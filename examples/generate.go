// Package examples are complete programs, one in each folder; README.md lists them.
package examples

// The flags are in informer-gen.yaml.
//go:generate go tool informer-gen
