package decode

import (
	"slices"
	"testing"
)

func TestIndex(t *testing.T) {
	for text, want := range map[string][]container{
		`{}`:                         {{end: 2, next: 1}},
		` [ ] `:                      {{end: 4, next: 1}},
		`{"a":1}`:                    {{end: 7, next: 1, members: 1}},
		`[1,"]",2]`:                  {{end: 9, next: 1, members: 3}},
		`{"a":{"b":[]},"c":[{},{}]}`: {{26, 6, 2}, {13, 3, 1}, {12, 3, 0}, {25, 6, 2}, {21, 5, 0}, {24, 6, 0}},
		`{"\\":"\\\"","\"}":["{"]}`:  {{25, 2, 2}, {24, 2, 1}},
	} {
		var x index
		x.build([]byte(text))
		if !slices.Equal(x.containers, want) {
			t.Errorf("%s: %v, want %v", text, x.containers, want)
		}
	}
}
