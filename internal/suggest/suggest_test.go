package suggest

import "testing"

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	tags := []string{"genclient", "genclient:nonNamespaced", "genclient:noVerbs"}
	if got := DidYouMean("genclient:nonNamespace", "+", tags); got != "; did you mean +genclient:nonNamespaced?" {
		t.Error(got)
	}
	if got := DidYouMean("xyz", "", tags); got != "" {
		t.Error(got)
	}
}
