package cache

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

type someHandler struct{ ResourceEventHandlerFuncs }

// generic is a handler as controller-runtime's are.
type generic[A, B, C any] struct{ ResourceEventHandlerFuncs }

type deleter struct{}

func (deleter) onDelete(any) {}

func TestHandlerName(t *testing.T) {
	const here = "github.com/informer-gen/informer-gen/runtime/clientgo/cache"
	for name, c := range map[string]struct {
		handler any
		want    string
	}{
		"one function":    {ResourceEventHandlerFuncs{AddFunc: func(any) {}}, here + ".TestHandlerName"},
		"pointer":         {&ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {}}, here + ".TestHandlerName"},
		"detailed":        {ResourceEventHandlerDetailedFuncs{AddFunc: func(any, bool) {}}, here + ".TestHandlerName"},
		"typed":           {TypedResourceEventHandlerFuncs[*v1.Pod]{AddFunc: func(*v1.Pod) {}}, here + ".TestHandlerName"},
		"several places":  {ResourceEventHandlerFuncs{AddFunc: elsewhere(), DeleteFunc: deleter{}.onDelete}, here + ".elsewhere.func1+" + here + ".deleter.onDelete-fm"},
		"struct":          {someHandler{}, here + ".someHandler"},
		"struct pointer":  {&someHandler{}, here + ".someHandler"},
		"generic":         {&generic[v1.Pod, *v1.Node, map[string]v1.Pod]{}, here + ".generic[v1.Pod,*v1.Node,map[string]v1.Pod]"},
		"filter":          {FilteringResourceEventHandler{}, "k8s.io/client-go/tools/cache.FilteringResourceEventHandler"},
		"without funcs":   {ResourceEventHandlerFuncs{}, "cache.ResourceEventHandlerFuncs"},
		"nil":             {nil, "<nil>"},
		"nil of a type":   {(*someHandler)(nil), "*cache.someHandler"},
		"unnamed pointer": {new(*someHandler), "**cache.someHandler"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := handlerName(c.handler); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

//go:noinline
func elsewhere() func(any) { return func(any) {} }
