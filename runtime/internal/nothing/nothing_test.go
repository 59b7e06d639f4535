package nothing

import (
	"errors"
	"io/fs"
	"testing"
)

func TestIs(t *testing.T) {
	var missing *fs.PathError
	var err error = missing
	for _, test := range []struct {
		v    any
		want bool
	}{{nil, true}, {err, true}, {missing, true}, {&fs.PathError{}, false}, {errors.New("x"), false}, {[]int(nil), false}, {0, false}} {
		if got := Is(test.v); got != test.want {
			t.Errorf("%#v: %v", test.v, got)
		}
	}
}
