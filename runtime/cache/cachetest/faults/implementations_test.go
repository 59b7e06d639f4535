package faults_test

import "github.com/informer-gen/informer-gen/internal/podinformers"

// implementation makes an informer of pods.
type implementation = podinformers.Implementation

// layer is the compatibility layer, runtime/clientgo/cache, over a client of client-go, and
// streaming the same with the responses of that client.
var typed, layer, streaming, clientGo = podinformers.Typed, podinformers.CompatibilityLayer, podinformers.Streaming, podinformers.ClientGo
