package cache

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

// Long reads let others run: a few of them, which take far less than the 10 ms
// after which the scheduler would.
func TestLongReadsGiveWay(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	store, err := NewStore(func(obj *thing) (types.NamespacedName, error) { return KeyOf(obj) })
	if err != nil {
		t.Fatal(err)
	}
	for i := range longRead + 1 {
		_ = store.Set(newThing("ns", fmt.Sprint(i), "1"))
	}
	for name, read := range map[string]func(){
		"List": func() { store.List() },
		"All": func() {
			for range store.All() {
			}
		},
	} {
		var ran atomic.Bool
		go ran.Store(true)
		for n := 0; n < 50 && !ran.Load(); n++ {
			read()
		}
		if !ran.Load() {
			t.Errorf("%s did not give way", name)
		}
	}
}
