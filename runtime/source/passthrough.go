package source

import (
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// passthrough has the packages whose functions send one request, and return its response or
// error as it is.
var passthrough = []string{
	strings.TrimSuffix(here, "source.") + "clientgo/cache",
	"golang.org/x/oauth2",
	"k8s.io/client-go/dynamic",
	"k8s.io/client-go/gentype",
	"k8s.io/client-go/informers",
	"k8s.io/client-go/kubernetes",
	"k8s.io/client-go/plugin/pkg/client/auth",
	"k8s.io/client-go/rest",
	"k8s.io/client-go/tools/cache",
	"k8s.io/client-go/transport",
	"net/http",
	"sigs.k8s.io/controller-runtime/pkg/cache",
}

// The functions of this package that call those of a list or watch, and the transport that
// finds them on its stack.
var (
	here      = reflect.TypeFor[takeover]().PkgPath() + "."
	callers   = []string{here + "(*streamedSource).", here + "FromClientset[", here + "ClientsetObjects[", here + "newListerWatcherSource."}
	transport = here + "(*handover)."
)

// checkPassthrough returns an error unless the caller of its caller, a transport, was called
// for a source by nothing but functions that return a response as it is. Any other may filter
// the objects, change them, add to them, or have them from a cache; no response that a test
// would make up shows that it does not.
func checkPassthrough() error {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		frame, more := frames.Next()
		switch name := frame.Function; {
		case slices.ContainsFunc(callers, func(caller string) bool { return strings.HasPrefix(name, caller) }):
			return nil
		case !strings.HasPrefix(name, transport) && !isPassthrough(name):
			return fmt.Errorf("its requests are sent by %s, which may change the responses", name)
		case !more:
			return errNoHandover
		}
	}
}

// isPassthrough reports whether a function is of one of the packages, or below it.
func isPassthrough(function string) bool {
	for _, path := range passthrough {
		if rest, ok := strings.CutPrefix(function, path); ok && rest != "" && (rest[0] == '.' || rest[0] == '/') {
			return true
		}
	}
	return false
}
