package apinames

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDifferences(t *testing.T) {
	const testdata = module + "runtime/internal/apinames/testdata/"
	want := Exceptions{
		Missing: "Missing",
		Added:   "Added",
		Changed: "Constraint LessFields LessInterface LessMethods OtherFunc Value Variadic",
	}
	if diff := cmp.Diff(want, differences(t, testdata+"ours", testdata+"theirs")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
