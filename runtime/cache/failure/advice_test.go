package failure

import "testing"

func TestAdvice(t *testing.T) {
	if len(advice) != len(classNames) {
		t.Fatalf("%d texts for %d classes", len(advice), len(classNames))
	}
	given := map[string]Class{}
	for class := range Class(len(classNames)) {
		text := class.Advice()
		if other, ok := given[text]; ok || text == "" {
			t.Errorf("%v: %q, as for %v", class, text, other)
		}
		given[text] = class
	}
	if Class(200).Advice() != ClassOther.Advice() {
		t.Error("no advice for what is not a class")
	}
}
