package leftout

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

func broken(name string) error {
	return &failure.ObjectError{Object: name, Err: errors.New("broken\nand a stack")}
}

// add adds the object of an error.
func (s *Set) add(by any, err error) {
	key, why := Explain(err)
	s.Add(by, key, State{Why: why})
}

// An object is left out until it is taken, or a visit does not leave it out again.
func TestSet(t *testing.T) {
	var s Set
	all := func(any) bool { return true }
	expect := func(want string) {
		t.Helper()
		count, named := s.Reasons()
		got := ""
		for _, name := range first(maxNames, named) {
			got += fmt.Sprintf("%s: %s; ", name, named[name])
		}
		if got != want || count != len(named) {
			t.Errorf("%d: %q, want %q", count, got, want)
		}
	}
	expect("")
	s.add(nil, broken("ns/a"))
	s.add(nil, fmt.Errorf("transform: %w", broken("ns/b")))
	s.add(nil, broken(""))
	expect(": object: broken; ns/a: broken; ns/b: transform: broken; ")
	s.Remove(types.NamespacedName{Namespace: "ns", Name: "a"})
	expect(": object: broken; ns/b: transform: broken; ")
	if left, is := s.State(types.NamespacedName{Namespace: "ns", Name: "b"}); left.Why != "transform: broken" || !is {
		t.Errorf("reason: %q, %v", left.Why, is)
	}
	if left, is := s.State(types.NamespacedName{Namespace: "ns", Name: "c"}); is {
		t.Errorf("reason of another object: %q", left.Why)
	}
	s.BeginVisit()
	s.add("one", broken("ns/c"))
	s.EndVisit(all)
	expect("ns/c: broken; ")
	s.add("other", broken("cluster"))
	want := map[any]map[string]string{"one": {"ns/c": "broken"}, "other": {"cluster": "broken"}}
	if got := s.Each(); !reflect.DeepEqual(got, want) {
		t.Errorf("by list and watch: %v, want %v", got, want)
	}
	s.BeginVisit()
	s.EndVisit(func(by any) bool { return by == "one" })
	expect("cluster: broken; ")
	s.BeginVisit()
	s.EndVisit(all)
	expect("")
	if s.Any() || s.Each() != nil {
		t.Error("not empty")
	}
}

// Names and reasons are bounded, also when several sets are joined.
func TestBounds(t *testing.T) {
	var s Set
	for i := range 150 {
		s.add(nil, &failure.ObjectError{Object: fmt.Sprintf("a%03d", 149-i), Err: errors.New(strings.Repeat("very bad ", 100))})
	}
	count, named := s.Reasons()
	if count != 150 || len(named) != maxNames || len(named["a000"]) > maxReason+len(" …") || named["a099"] == "" {
		t.Errorf("%d, named: %v", count, named)
	}
	joined := Join(map[string]string{"a000": "first", "a": "also"}, named)
	if len(joined) != maxNames || joined["a000"] != "first" || joined["a"] != "also" || joined["a099"] != "" {
		t.Errorf("joined: %v", joined)
	}
	if got := Join(nil, named); !maps.Equal(got, named) {
		t.Errorf("joined with nothing: %v", got)
	}
}
