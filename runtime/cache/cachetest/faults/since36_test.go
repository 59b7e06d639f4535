//go:build !before36

package faults_test

var compared = []implementation{typed, layer, streaming, clientGo}
