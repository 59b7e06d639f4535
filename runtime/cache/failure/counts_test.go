package failure

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

func TestOutcomes(t *testing.T) {
	var o Outcomes
	for _, err := range []error{nil, nil, ErrWatchIdle, ErrListIdle, apierrors.NewUnauthorized("token"), errors.New("other")} {
		o.Add(err)
	}
	o.Failed.Add(Class(200))
	want := Outcomes{Succeeded: 2, Failed: Counts{ClassSilent: 2, ClassForbidden: 1, ClassOther: 2}}
	if o != want {
		t.Errorf("%+v, want %+v", o, want)
	}
	if total := o.Failed.Total(); total != 5 {
		t.Errorf("total %d", total)
	}
	if sum := o.Plus(o); sum.Succeeded != 4 || sum.Failed[ClassSilent] != 4 || o != want {
		t.Errorf("sum %+v of %+v", sum, o)
	}
	classes := 0
	for class, n := range o.Failed.All() {
		if o.Failed[class] != n || int(class) != classes {
			t.Errorf("%v: %d", class, n)
		}
		classes++
	}
	if classes != len(classNames) {
		t.Errorf("%d classes", classes)
	}
}

func TestOutcomesJSON(t *testing.T) {
	for _, test := range []struct {
		outcomes Outcomes
		want     string
	}{
		{Outcomes{}, `{"succeeded":0,"failed":{}}`},
		{Outcomes{3, Counts{ClassNotFound: 1, ClassTooManyRequests: 2}}, `{"succeeded":3,"failed":{"not found":1,"too many requests":2}}`},
	} {
		text, err := json.Marshal(test.outcomes)
		if err != nil || string(text) != test.want {
			t.Errorf("%s, %v; want %s", text, err, test.want)
		}
		read := Outcomes{Failed: Counts{ClassSilent: 9}}
		if err := json.Unmarshal(text, &read); err != nil || read != test.outcomes {
			t.Errorf("%s is read as %+v, %v", text, read, err)
		}
	}
	var c Counts
	if err := json.Unmarshal([]byte(`{"sleepy":1}`), &c); err == nil || !strings.Contains(err.Error(), `class "sleepy": unknown; expected one of ["other" "forbidden"`) {
		t.Errorf("error %v", err)
	}
}
