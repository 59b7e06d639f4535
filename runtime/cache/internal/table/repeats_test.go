package table

import (
	"fmt"
	"slices"
	"testing"
)

func TestLastOfEachKey(t *testing.T) {
	type item struct{ name, state string }
	key := func(it *item) Key { return Key{Name: it.name} }
	var many []item
	for i := range 1000 {
		many = append(many, item{fmt.Sprint(i), "only"})
	}
	for _, test := range []struct {
		name        string
		items, want []item
	}{
		{"none", nil, nil},
		{"each once", many, many},
		{"one twice", []item{{"a", "1"}, {"b", "1"}, {"a", "2"}, {"c", "1"}}, []item{{"b", "1"}, {"a", "2"}, {"c", "1"}}},
		{"all the same", []item{{"a", "1"}, {"a", "2"}, {"a", "3"}}, []item{{"a", "3"}}},
		{"the first of many again", append(slices.Clone(many), item{"0", "last"}), append(slices.Clone(many[1:]), item{"0", "last"})},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := LastOfEachKey(test.items, key); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
