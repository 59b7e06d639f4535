package differential

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Content types of patches.
const (
	jsonPatch  = "json-patch+json"
	mergePatch = "merge-patch+json"
	strategic  = "strategic-merge-patch+json"
	applyPatch = "apply-patch+yaml"
)

// writes are sent in this order, to the namespace that their path begins with.
var writes = []request{
	// Creation.
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","generation":7,"uid":"x","creationTimestamp":"2001-01-01T00:00:00Z","deletionTimestamp":"2001-01-01T00:00:00Z","labels":{"l":"1"}},"spec":{"size":1,"tags":["x"]},"status":{"ready":1}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one"}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"Not A Name","labels":{"l":"not a value"}}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"two","resourceVersion":"5"}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"two","namespace":"b"}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"two","finalizers":["not a finalizer"]}}`},
	{"POST", "a/things?dryRun=All", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"two"}}`},
	{"POST", "a/things?dryRun=Some", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"two"}}`},
	{"POST", "a/things", "yaml", "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: two}\n"},
	{"POST", "a/things", "xml", `<thing/>`},

	// Updates.
	{"GET", "a/things/one", "", ""},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"$rv","generation":9},"spec":{"size":2},"status":{"ready":2}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"$rv"},"spec":{"size":2}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"$rv","labels":{"l":"2"}},"spec":{"size":2}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one"},"spec":{"size":3}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"1"},"spec":{"size":3}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","uid":"other"},"spec":{"size":3}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"two"},"spec":{"size":3}}`},
	{"PUT", "a/things/none", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"none"},"spec":{"size":3}}`},
	{"GET", "a/things/one", "", ""},
	{"PUT", "a/things/one?dryRun=All", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"$rv"},"spec":{"size":9}}`},
	{"PUT", "a/things/one", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"$rv","deletionTimestamp":"2001-01-01T00:00:00Z"},"spec":{"size":3}}`},

	// The status subresource.
	{"GET", "a/things/one/status", "", ""},
	{"PUT", "a/things/one/status", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"$rv","labels":{"l":"9"}},"spec":{"size":9},"status":{"ready":3}}`},
	{"PUT", "a/things/one/status", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"one","resourceVersion":"1"},"status":{"ready":4}}`},
	{"PATCH", "a/things/one/status", mergePatch, `{"spec":{"size":8},"status":{"phase":"up"}}`},
	{"PATCH", "a/things/one", mergePatch, `{"spec":{"color":"red"},"status":{"phase":"down"}}`},
	{"PATCH", "a/things/one", mergePatch, `{"status":{"phase":"down"}}`},
	{"PATCH", "a/things/none/status", mergePatch, `{"status":{"phase":"up"}}`},
	{"DELETE", "a/things/one/status", "", ""},

	// Patches.
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"labels":{"m":"1"},"annotations":{"a":"b"}},"spec":{"tags":["y","z"]}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"labels":{"l":null}}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"labels":{"l":null}}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"resourceVersion":"1"},"spec":{"size":4}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"name":"other"}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"namespace":"b"}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"uid":"other"}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"generation":99,"creationTimestamp":null}}`},
	malformedPatch,
	{"PATCH", "a/things/none", mergePatch, `{}`},
	{"PATCH", "a/things/one", jsonPatch, `[{"op":"add","path":"/spec/tags/-","value":"w"},{"op":"test","path":"/spec/tags/0","value":"y"}]`},
	{"PATCH", "a/things/one", jsonPatch, `[{"op":"test","path":"/spec/tags/0","value":"no"}]`},
	{"PATCH", "a/things/one", jsonPatch, `[{"op":"remove","path":"/spec/none"}]`},
	{"PATCH", "a/things/one", jsonPatch, `{"op":"remove"}`},
	{"PATCH", "a/things/one", strategic, `{"spec":{"size":1}}`},
	{"PATCH", "a/things/one", "json", `{"spec":{"size":1}}`},
	{"PATCH", "a/things/one?dryRun=All", mergePatch, `{"spec":{"size":77}}`},
	{"PATCH", "a/things/one?force=true", mergePatch, `{"spec":{"size":77}}`},

	// Server-side apply.
	{"PATCH", "a/things/applied", applyPatch, "{apiVersion: example.com/v1, kind: Thing, metadata: {name: applied}, spec: {size: 1}}"},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: applied}\nspec: {size: 1, color: red}\nstatus: {ready: 1}\n"},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied"},"spec":{"size":1,"color":"red"}}`},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied"},"spec":{"size":1,"color":"red"}}`},
	{"PATCH", "a/things/applied?fieldManager=you", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied"},"spec":{"size":2}}`},
	{"PATCH", "a/things/applied?fieldManager=you&force=true", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied","labels":{"by":"you"}},"spec":{"size":2}}`},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied"},"spec":{}}`},
	{"PATCH", "a/things/applied/status?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied"},"status":{"ready":5}}`},
	{"PATCH", "a/things/none/status?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"none"},"status":{"ready":5}}`},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"applied"}}`},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied","managedFields":[{"manager":"x"}]}}`},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"other"}}`},
	{"PATCH", "a/things/other?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"another"}}`},
	{"PATCH", "a/things/applied?fieldManager=me", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied","resourceVersion":"1"},"spec":{"size":2}}`},
	{"PATCH", "a/things/applied", mergePatch, `{"spec":{"size":6}}`},
	{"PATCH", "a/things/applied?fieldManager=you", applyPatch, `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"applied"},"spec":{"size":2}}`},

	// Deletion.
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"finalizers":["example.com/a","example.com/b"]}}`},
	{"DELETE", "a/things/one", "json", `{"preconditions":{"uid":"other"}}`},
	{"DELETE", "a/things/one", "json", `{"preconditions":{"resourceVersion":"1"}}`},
	{"DELETE", "a/things/one?dryRun=All", "", ""},
	{"DELETE", "a/things/one", "", ""},
	{"DELETE", "a/things/one", "json", `{"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"finalizers":["example.com/a","example.com/b","example.com/c"]}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"deletionTimestamp":null,"deletionGracePeriodSeconds":null}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"finalizers":["example.com/b"]},"spec":{"size":5}}`},
	{"PATCH", "a/things/one/status", mergePatch, `{"status":{"phase":"going"}}`},
	{"PATCH", "a/things/one?dryRun=All", mergePatch, `{"metadata":{"finalizers":null}}`},
	{"PATCH", "a/things/one", mergePatch, `{"metadata":{"finalizers":null},"spec":{"size":6}}`},
	{"GET", "a/things/one", "", ""},
	{"DELETE", "a/things/one", "", ""},
	{"DELETE", "a/things/two?propagationPolicy=Foreground", "", ""},
	{"DELETE", "a/things/two?propagationPolicy=Orphan", "", ""},
	{"DELETE", "a/things/two?propagationPolicy=Nonsense", "", ""},
	{"PATCH", "a/things/two", mergePatch, `{"metadata":{"finalizers":null}}`},
	{"DELETE", "a/things/applied", "json", `{"preconditions":{"uid":"$uid"}}`},
	{"DELETE", "a/things/applied", "json", ``},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"three","labels":{"l":"1"}}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"four","labels":{"l":"1"},"finalizers":["example.com/a"]}}`},
	{"POST", "a/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"five"}}`},
	{"DELETE", "a/things?labelSelector=l%3D1", "", ""},
	{"DELETE", "a/things?dryRun=All", "", ""},
	{"DELETE", "a/things", "json", "{}"},
	{"PATCH", "a/things/four", jsonPatch, `[{"op":"remove","path":"/metadata/finalizers"}]`},
}

// noteWrites are to a resource without a status subresource.
var noteWrites = []request{
	{"POST", "n/notes", "json", `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"one"},"status":{"ready":1}}`},
	{"PUT", "n/notes/one", "json", `{"apiVersion":"example.com/v1","kind":"Note","metadata":{"name":"one","resourceVersion":"$rv"},"status":{"ready":2}}`},
	{"PATCH", "n/notes/one/status", mergePatch, `{"status":{"ready":3}}`},
	{"GET", "n/notes/one/status", "", ""},
	{"DELETE", "n/notes/one", "", ""},
	{"GET", "n/notes/one/scale", "", ""},
}

// strictWrites differ for an unstructured resource, which has no schema here.
var strictWrites = []request{
	{"POST", "s/things?fieldValidation=Strict", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"s"},"spec":{"sise":1}}`},
	{"POST", "s/things?fieldValidation=Ignore", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"s"},"spec":{"sise":1}}`},
	{"PATCH", "s/things/s?fieldValidation=Strict", mergePatch, `{"spec":{"sise":1}}`},
	{"PATCH", "s/things/s?fieldValidation=Sometimes", mergePatch, `{"spec":{"sise":1}}`},
	{"DELETE", "s/things/s", "", ""},
}

// TestWrites wants every answer and every watch event to be the real server's, except for the wording of
// some errors.
func TestWrites(t *testing.T) {
	compare(t, writes, "typed", "unstructured")
}

// TestNoteWrites: without a subresource, status is a field like others.
func TestNoteWrites(t *testing.T) {
	compare(t, noteWrites, "typed", "unstructured")
}

// TestStrictWrites: fields that the type does not have are dropped or refused.
func TestStrictWrites(t *testing.T) {
	compare(t, strictWrites, "typed")
}

// compare sends the requests to all servers, and compares the servers of the names with the real one.
func compare(t *testing.T, requests []request, names ...string) {
	t.Helper()
	if before36 {
		t.Skip("older servers note the labels of an object as managed fields otherwise")
	}
	namespace, _, _ := strings.Cut(requests[0].path, "/")
	answers, events := map[string][]answer{}, map[string][]answer{}
	for _, s := range sides(t) {
		watched := s.events(t, namespace)
		answers[s.name] = s.sendAll(t, requests)
		end := request{"POST", namespace + "/things", "json", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"` + sentinel + `"}}`}
		s.sendAll(t, []request{end})
		events[s.name] = watched()
	}
	for _, name := range names {
		schemaless := name == "unstructured"
		wantAnswers, gotAnswers := texts(t, answers["real"], schemaless), texts(t, answers[name], schemaless)
		for i, request := range requests {
			if diff := cmp.Diff(wantAnswers[i], gotAnswers[i]); diff != "" {
				t.Errorf("%s: %s %s %s %s (-real +cachetest):\n%s", name, request.method, request.path, request.kind, request.body, diff)
			}
		}
		if diff := cmp.Diff(texts(t, events["real"], schemaless), texts(t, events[name], schemaless)); diff != "" {
			t.Errorf("%s: watch events (-real +cachetest):\n%s", name, diff)
		}
	}
}
