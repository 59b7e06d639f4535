package apinames

import (
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	const testdata = "github.com/informer-gen/informer-gen/runtime/internal/apinames/testdata/"
	missing, added, changed := differences(t, testdata+"ours", testdata+"theirs")
	for _, c := range []struct {
		what, want string
		got        []string
	}{
		{"missing", "Missing", missing},
		{"added", "Added", added},
		{"changed", "Constraint LessFields LessInterface LessMethods OtherFunc Value Variadic", changed},
	} {
		if got := strings.Join(c.got, " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}
