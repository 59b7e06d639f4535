//go:build !before35

package main

const before35 = false
