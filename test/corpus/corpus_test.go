package main

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/test/generate/scratch"
)

// fast are the projects that are run in every test: small ones, of each kind of
// truth and of layout.
var fast = []string{
	"github.com/kedacore/keda/v2", "github.com/kubernetes-csi/external-snapshotter/client/v8", "k8s.io/apiextensions-apiserver",
	"k8s.io/autoscaler/vertical-pod-autoscaler", "k8s.io/kube-aggregator", "sigs.k8s.io/kwok",
}

// No type of public projects is wrong or missed.
func TestCorpus(t *testing.T) {
	bin := t.TempDir()
	if err := scratch.Build(t.Context(), bin, scratch.InformerGen); err != nil {
		t.Fatal(err)
	}
	for _, p := range projects {
		if !slices.Contains(fast, p.module) {
			continue
		}
		t.Run(strings.ReplaceAll(p.module, "/", "_"), func(t *testing.T) {
			r, err := examine(t.Context(), filepath.Join(bin, "informer-gen"), p)
			if err != nil {
				t.Fatal(err)
			}
			if r.refused != "" {
				t.Skipf("the module proxy refuses it: %s", r.refused)
			}
			if len(r.wrong)+len(r.missed) > 0 || r.right == 0 {
				t.Errorf("%d right; wrong: %q; missed: %q", r.right, r.wrong, r.missed)
			}
		})
	}
}

// A type of another plural or scope is wrong. A type that the project has and the tool has not is missed,
// and a type without a truth is extra.
func TestCompare(t *testing.T) {
	say := truth{
		byKind: map[string]resource{
			"a.b/v1/Right": {plural: "rights", namespaced: true}, "a.b/v1/Plural": {plural: "plurales", namespaced: true},
			"a.b/v1/Scope": {plural: "scopes"}, "a.b/v1/Missed": {plural: "misseds", where: "crd.yaml"}, "a.b/v1/Known": {plural: "knowns"},
		},
		byPlural: map[string]string{"a.b/v1/rights": "", "c/v1/listeds": ""},
	}
	rows := func(names ...string) string {
		var parts []string
		for _, name := range names {
			group, kind, _ := strings.Cut(name, "/")
			parts = append(parts, `{"group":"`+group+`","version":"v1","kind":"`+kind+`","resource":"`+strings.ToLower(kind)+`s","scope":"Namespaced","informer":true}`)
		}
		return "[" + strings.Join(parts, ",") + `,{"group":"a.b","version":"v1","kind":"Skipped","skipped":"why"}]`
	}
	p := project{known: map[string]string{"a.b/v1/Known": "why"}}
	r, err := compare(p, []byte(rows("a.b/Right", "a.b/Plural", "a.b/Scope", "a.b/Extra", "c/Listed")), say)
	if err != nil {
		t.Fatal(err)
	}
	if r.types != 5 || r.right != 2 || len(r.wrong) != 2 || !slices.Equal(r.missed, []string{"a.b/v1/Missed (crd.yaml)"}) || !slices.Equal(r.extra, []string{"a.b/v1/Extra"}) {
		t.Errorf("got %+v", r)
	}
}

// Both kinds of truth are read.
func TestTruth(t *testing.T) {
	say, err := readTruth(project{module: "testdata", crds: []string{"crds"}, informers: []string{"informers"}}, "testdata")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(say.byKind)), []string{"shop.example.com/v1/Order", "shop.example.com/v1alpha1/Sale"}; !slices.Equal(got, want) {
		t.Errorf("CRDs: got %q, want %q", got, want)
	}
	if got, want := slices.Sorted(maps.Keys(say.byPlural)), []string{"/v1/pods", "shop.example.com/v1/orders", "shop.example.com/v1beta1/orders"}; !slices.Equal(got, want) {
		t.Errorf("informers: got %q, want %q", got, want)
	}
}
