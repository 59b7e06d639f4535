package cachetest

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testv1 "k8s.io/apimachinery/pkg/apis/testapigroup/v1"

	"github.com/informer-gen/informer-gen/runtime/cache"
)

// list returns the names of one page.
func list(t testing.TB, source cache.Source[*testv1.Carp], options metav1.ListOptions) ([]string, metav1.ListMeta, error) {
	t.Helper()
	var objs []*testv1.Carp
	page, err := source.List(t.Context(), options, func(item any, err error) {
		obj, _ := item.(*testv1.Carp)
		if err != nil {
			t.Errorf("item is an error: %v", err)
			return
		}
		objs = append(objs, obj)
	})
	return names(objs), page, err
}

// listed returns an API at resourceVersion 7. It has three objects: one was changed, and one created after
// another was deleted.
func listed(t testing.TB) *API[*testv1.Carp] {
	api := NewAPI(carp("b/one", "app=x"), carp("a/two"), carp("a/gone")) // 2, 3, 4
	must(api.Update(on("n1", carp("b/one", "app=x"))))(t)                // 5
	must(api.Delete(key("a/gone")))(t)                                   // 6
	must(api.Create(carp("c/three", "app=x")))(t)                        // 7
	return api
}

func TestList(t *testing.T) {
	latest := []string{"a/two@3", "b/one@5", "c/three@7"}
	atFour := []string{"a/gone@4", "a/two@3", "b/one@2"}
	notOlder, exact := metav1.ResourceVersionMatchNotOlderThan, metav1.ResourceVersionMatchExact
	for name, test := range map[string]struct {
		options metav1.ListOptions
		want    []string
		version string
	}{
		"latest":                    {metav1.ListOptions{}, latest, "7"},
		"any":                       {metav1.ListOptions{ResourceVersion: "0"}, latest, "7"},
		"any ignores its limit":     {metav1.ListOptions{ResourceVersion: "0", Limit: 1}, latest, "7"},
		"not older, by default":     {metav1.ListOptions{ResourceVersion: "4"}, latest, "7"},
		"not older":                 {metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: notOlder}, latest, "7"},
		"not older than any":        {metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: notOlder}, latest, "7"},
		"not older, with limit":     {metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: notOlder, Limit: 9}, latest, "7"},
		"exact":                     {metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: exact}, atFour, "4"},
		"exact, by its limit":       {metav1.ListOptions{ResourceVersion: "4", Limit: 9}, atFour, "4"},
		"exact, empty":              {metav1.ListOptions{ResourceVersion: "1", ResourceVersionMatch: exact}, nil, "1"},
		"label":                     {metav1.ListOptions{LabelSelector: "app=x"}, []string{"b/one@5", "c/three@7"}, "7"},
		"name":                      {metav1.ListOptions{FieldSelector: "metadata.name=two"}, []string{"a/two@3"}, "7"},
		"not in a namespace":        {metav1.ListOptions{FieldSelector: "metadata.namespace!=a"}, []string{"b/one@5", "c/three@7"}, "7"},
		"label and field, no match": {metav1.ListOptions{LabelSelector: "app=x", FieldSelector: "metadata.name=two"}, nil, "7"},
	} {
		t.Run(name, func(t *testing.T) {
			got, page, err := list(t, listed(t).Source(), test.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if page.ResourceVersion != test.version || page.Continue != "" {
				t.Errorf("page is %+v, want version %s", page, test.version)
			}
		})
	}
}

func TestListErrors(t *testing.T) {
	notOlder, exact := metav1.ResourceVersionMatchNotOlderThan, metav1.ResourceVersionMatchExact
	for name, test := range map[string]struct {
		options metav1.ListOptions
		code    int
	}{
		"too large":               {metav1.ListOptions{ResourceVersion: "8"}, http.StatusGatewayTimeout},
		"too large, exact":        {metav1.ListOptions{ResourceVersion: "8", ResourceVersionMatch: exact}, http.StatusGatewayTimeout},
		"compacted, exact":        {metav1.ListOptions{ResourceVersion: "4", ResourceVersionMatch: exact}, http.StatusGone},
		"compacted, limit":        {metav1.ListOptions{ResourceVersion: "4", Limit: 1}, http.StatusGone},
		"no number":               {metav1.ListOptions{ResourceVersion: "x"}, http.StatusBadRequest},
		"match without a version": {metav1.ListOptions{ResourceVersionMatch: notOlder}, http.StatusUnprocessableEntity},
		"exactly any":             {metav1.ListOptions{ResourceVersion: "0", ResourceVersionMatch: exact}, http.StatusUnprocessableEntity},
		"bad token":               {metav1.ListOptions{Continue: "x"}, http.StatusBadRequest},
		"token and version":       {metav1.ListOptions{Continue: "x", ResourceVersion: "5"}, http.StatusBadRequest},
		"bad label selector":      {metav1.ListOptions{LabelSelector: "=="}, http.StatusBadRequest},
		"unknown field":           {metav1.ListOptions{FieldSelector: "spec.nodeName=n1"}, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			api := listed(t)
			api.history.compact(5)
			_, _, err := list(t, api.Source(), test.options)
			if got := statusCode(err); got != test.code {
				t.Errorf("code is %d, want %d: %v", got, test.code, err)
			}
			tooLarge := test.code == http.StatusGatewayTimeout
			if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) != tooLarge {
				t.Errorf("cause ResourceVersionTooLarge is %v, want %v", !tooLarge, tooLarge)
			}
		})
	}
}

// statusCode is the HTTP status of an error, or 0.
func statusCode(err error) int {
	if err == nil || !isStatus(err) {
		return 0
	}
	return int(statusOf(err).Code)
}

// TestListPages: pages are of one state, whatever happens between them.
func TestListPages(t *testing.T) {
	api := listed(t)
	got, page, err := list(t, api.Source(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if page.Continue == "" || page.RemainingItemCount == nil || *page.RemainingItemCount != 2 {
		t.Errorf("first page is %+v", page)
	}
	must(api.Delete(key("b/one")))(t)
	must(api.Create(carp("a/zzz")))(t)
	for page.Continue != "" {
		var more []string
		// A resourceVersion of "0" is allowed beside a token, and means nothing.
		more, page, err = list(t, api.Source(), metav1.ListOptions{Limit: 1, Continue: page.Continue, ResourceVersion: "0"})
		if err != nil {
			t.Fatal(err)
		}
		if page.ResourceVersion != "7" {
			t.Errorf("page is of %s, want 7", page.ResourceVersion)
		}
		got = append(got, more...)
	}
	if diff := cmp.Diff([]string{"a/two@3", "b/one@5", "c/three@7"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestListPagesOfSelection(t *testing.T) {
	api := listed(t)
	got, page, err := list(t, api.Source(), metav1.ListOptions{Limit: 1, LabelSelector: "app=x"})
	if err != nil || !cmp.Equal(got, []string{"b/one@5"}) || page.RemainingItemCount != nil {
		t.Fatalf("first page is %v, %+v, %v", got, page, err)
	}
	got, page, err = list(t, api.Source(), metav1.ListOptions{Limit: 1, LabelSelector: "app=x", Continue: page.Continue})
	if err != nil || !cmp.Equal(got, []string{"c/three@7"}) || page.Continue != "" {
		t.Fatalf("second page is %v, %+v, %v", got, page, err)
	}
}

// TestListTokenExpires: the error of an expired token has one that goes on in
// the latest state.
func TestListTokenExpires(t *testing.T) {
	api := listed(t)
	_, page, err := list(t, api.Source(), metav1.ListOptions{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	must(api.Create(carp("b/new")))(t)
	api.Compact()
	_, _, err = list(t, api.Source(), metav1.ListOptions{Limit: 9, Continue: page.Continue})
	if !apierrors.IsResourceExpired(err) {
		t.Fatalf("error is %v", err)
	}
	got, page, err := list(t, api.Source(), metav1.ListOptions{Limit: 9, Continue: statusOf(err).Continue})
	if err != nil || !cmp.Equal(got, []string{"b/new@8", "b/one@5", "c/three@7"}) || page.ResourceVersion != "8" {
		t.Errorf("the rest is %v, %+v, %v", got, page, err)
	}
}

func TestListWithoutWatchCache(t *testing.T) {
	api := listed(t)
	api.SetWatchCache(false)
	got, page, err := list(t, api.Source(), metav1.ListOptions{ResourceVersion: "0", Limit: 2})
	if err != nil || len(got) != 2 || page.Continue == "" {
		t.Errorf("page is %v, %+v, %v", got, page, err)
	}
}

func TestListInNamespace(t *testing.T) {
	got, _, err := list(t, listed(t).InNamespace("a"), metav1.ListOptions{})
	if err != nil || !cmp.Equal(got, []string{"a/two@3"}) {
		t.Errorf("listed %v, %v", got, err)
	}
}

func TestListCopies(t *testing.T) {
	api := NewAPI(carp("a/one"))
	for range 2 {
		_, err := api.List(t.Context(), metav1.ListOptions{}, func(item any, _ error) {
			obj, _ := item.(*testv1.Carp)
			if obj.Spec.NodeName != "" {
				t.Error("two lists share an object")
			}
			obj.Spec.NodeName = "mine"
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
