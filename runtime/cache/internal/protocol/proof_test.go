package protocol

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/informer-gen/informer-gen/runtime/internal/decoding"
)

// The rule for the proof by a list. The columns are the version of the list, the facts that are known of
// its resource, and the number of its items.
func TestDoubt(t *testing.T) {
	list := func(apiVersion, kind string) decoding.TypeMeta {
		return decoding.TypeMeta{APIVersion: apiVersion, Kind: kind}
	}
	const (
		requested = "apps/v1"
		proves    = ""
	)
	own, none := list(requested, "FooList"), list("", "")
	for _, test := range []struct {
		name    string
		says    decoding.TypeMeta
		item    string
		items   int
		objects string
		earlier decoding.TypeMeta
		// version is the version of the list. The list before had version 5.
		version string
		doubt   string
	}{
		{"its own", own, "", 0, "Foo", own, "9", proves},
		{"its own, without a version", own, "", 0, "Foo", own, "", proves},
		{"its own, of version 0", own, "", 0, "Foo", own, "0", proves},
		{"its own, the first", own, "", 0, "", none, "9", proves},
		{"its own, after a watch", own, "", 0, "Foo", none, "9", proves},
		{"its own, after a list of another kind", own, "", 0, "Foo", list(requested, "BarList"), "9", proves},
		{"its own, with objects that say nothing", own, "", 2, "Foo", own, "9", proves},
		{"a kind and no version", list("", "FooList"), "", 0, "Foo", own, "", proves},
		{"a kind of its own", list(requested, "FooCollection"), "", 0, "Foo", list(requested, "FooCollection"), "", proves},
		{"a new kind, with its objects", list(requested, "FooCollection"), "Foo", 2, "Foo", own, "9", proves},
		{"a new kind", list(requested, "FooCollection"), "", 0, "Foo", own, "9", "is of the kind FooCollection, not FooList"},
		{"a new kind, after a watch", list(requested, "FooCollection"), "", 0, "Foo", none, "9", "is of the kind FooCollection, not FooList"},
		{"another kind", list(requested, "BarList"), "", 0, "", own, "9", "is of the kind BarList, not FooList"},
		{"another kind, with objects that say nothing", list(requested, "BarList"), "", 2, "Foo", own, "9", "is of the kind BarList, not FooList"},
		{"another kind, with objects of it", list(requested, "BarList"), "Bar", 2, "Foo", own, "9", "is of the kind BarList, not FooList"},
		{"another version", list("apps/v2", "FooList"), "", 0, "Foo", own, "9", "is of apps/v2, not of apps/v1"},
		{"another version, with objects that say nothing", list("apps/v2", "FooList"), "", 2, "Foo", own, "9", "is of apps/v2, not of apps/v1"},
		{"another version, with objects of the right one", list("apps/v2", "FooList"), "Foo", 2, "Foo", own, "9", proves},
		{"another version, the first", list("v1", "FooList"), "", 0, "", none, "9", "is of v1, not of apps/v1"},
		{"another version, as the last that counted", list("v1", "FooList"), "", 0, "", list("v1", "FooList"), "9", proves},
		{"another version and no kind", list("apps/v2", ""), "", 0, "", none, "9", "is of apps/v2, not of apps/v1"},
		{"no kind", none, "", 0, "Foo", own, "9", "has no kind, where earlier lists are of the kind FooList"},
		{"no kind and no version", none, "", 0, "", own, "", "has no kind, where earlier lists are of the kind FooList"},
		{"no kind, with objects that say nothing", none, "", 2, "Foo", own, "9", "has no kind, where earlier lists are of the kind FooList"},
		{"no kind, with its objects", none, "Foo", 2, "Foo", own, "", proves},
		{"no kind, the first", none, "", 0, "", none, "9", proves},
		{"no kind, as always", none, "", 0, "Foo", none, "9", proves},
		{"no kind, as always, without a version", none, "", 0, "Foo", none, "", `has no items and the resourceVersion "", where earlier lists have versions`},
		{"no kind, as always, of version 0", none, "", 0, "Foo", none, "0", `has no items and the resourceVersion "0", where earlier lists have versions`},
		{"no kind, as always, with objects and without a version", none, "", 2, "Foo", none, "", proves},
	} {
		t.Run(test.name, func(t *testing.T) {
			l := decoding.List{Own: test.says, Item: test.item, Items: test.items, Requested: requested, Objects: test.objects, Earlier: test.earlier}
			s, page := Server{versioned: true}, metav1.ListMeta{ResourceVersion: test.version}
			want := test.doubt
			if want != proves {
				want = "doubtful list: " + want
			}
			if err := s.Doubt(l, page); text(err) != want || want != proves && !errors.Is(err, errDoubtful) {
				t.Errorf("got %q, want %q", text(err), want)
			}
			if page.ResourceVersion != "9" && test.says.Kind == "" && test.earlier.Kind == "" {
				want = proves // of a server without versions, or before the last page
				page.Continue = "more"
				if err := s.Doubt(l, page); err != nil {
					t.Errorf("before the last page: %v", err)
				}
			}
			if err := Doubt(l); text(err) != want {
				t.Errorf("without versions: got %q, want %q", text(err), want)
			}
			l.Requested = "" // as of a ListerWatcher
			if err := s.Doubt(l, metav1.ListMeta{ResourceVersion: "9"}); err != nil && test.says.APIVersion != requested && test.says.APIVersion != "" {
				t.Errorf("of a request that is not known: %v", err)
			}
		})
	}
}

// A client that has checked the kind has the last word.
func TestCheckedList(t *testing.T) {
	if err := (&Server{versioned: true}).Doubt(decoding.List{Checked: true}, metav1.ListMeta{}); err != nil {
		t.Error(err)
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
