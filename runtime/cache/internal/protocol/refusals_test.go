package protocol

import (
	"slices"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// A namespace is left out at the third refusal in a row.
func TestRefusals(t *testing.T) {
	forbidden := apierrors.NewForbidden(schema.GroupResource{}, "", nil)
	for _, test := range []struct {
		name string
		errs []error
		// from are the failures from which on it is left out.
		from []int
	}{
		{"refused", []error{forbidden, forbidden, forbidden, forbidden}, []int{2}},
		{"refused too seldom", []error{forbidden, forbidden}, nil},
		{"another failure between them", []error{forbidden, forbidden, apierrors.NewServiceUnavailable("down"), forbidden, forbidden}, nil},
		{"another failure after them", []error{forbidden, forbidden, forbidden, apierrors.NewServiceUnavailable("down"), forbidden, forbidden, forbidden}, []int{2}},
		{"credentials that are not accepted", slices.Repeat([]error{apierrors.NewUnauthorized("who?")}, 5), nil},
		{"an absent resource", slices.Repeat([]error{apierrors.NewNotFound(schema.GroupResource{}, "")}, 5), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var r Refusals
			var from []int
			for i, err := range test.errs {
				if r.Failed(err) {
					from = append(from, i)
				}
			}
			if !slices.Equal(from, test.from) || r.LeftOut != (len(test.from) > 0) {
				t.Errorf("left out: %v, from failures %v on", r.LeftOut, from)
			}
		})
	}
}
