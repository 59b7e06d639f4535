package differential

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/informer-gen/informer-gen/runtime/cache/cachetest"
)

// Thing is the Go type of things and notes.
type Thing struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              *ThingSpec   `json:"spec,omitempty"`
	Status            *ThingStatus `json:"status,omitempty"`
}

// ThingSpec is the desired state of a thing.
type ThingSpec struct {
	Size  *int64   `json:"size,omitempty"`
	Color string   `json:"color,omitempty"`
	Tags  []string `json:"tags,omitempty"`
}

// ThingStatus is the observed state of a thing.
type ThingStatus struct {
	Ready *int64 `json:"ready,omitempty"`
	Phase string `json:"phase,omitempty"`
}

// DeepCopyObject implements runtime.Object.
func (t *Thing) DeepCopyObject() runtime.Object {
	text, err := json.Marshal(t)
	if err != nil {
		panic(err)
	}
	copied := &Thing{}
	if err := json.Unmarshal(text, copied); err != nil {
		panic(err)
	}
	return copied
}

// side is one of the servers that are compared.
type side struct {
	name   string
	config *rest.Config
	client *http.Client
}

// sides returns the real server, and cachetest's for typed and for unstructured
// objects.
func sides(t *testing.T) []*side {
	t.Helper()
	var all []*side
	for name, config := range map[string]*rest.Config{
		"real":         server.Config(),
		"typed":        inMemory[*Thing](),
		"unstructured": inMemory[*unstructured.Unstructured](),
	} {
		client, err := rest.HTTPClientFor(config)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, &side{name: name, config: config, client: client})
	}
	return all
}

func inMemory[T runtime.Object]() *rest.Config {
	s := cachetest.NewServer()
	cachetest.Serve(s, thing, "Thing", cachetest.NewAPI[T]())
	cachetest.Serve(s, note, "Note", cachetest.NewAPI[T](), cachetest.ServeOptions{NoStatus: true})
	return &rest.Config{Host: "http://cachetest", Transport: s, QPS: -1}
}

// request is a request to both servers. In its body, $rv and $uid stand for the version and the UID of the
// latest object in an answer.
type request struct {
	method, path, kind, body string
}

// answer is the code of an answer or the type of an event, and the object in it.
type answer struct {
	what   string
	object map[string]any
}

// texts returns answers in a form that can be compared.
func texts(t *testing.T, answers []answer, schemaless bool) []string {
	t.Helper()
	seen := versions{names: map[string]string{}, schemaless: schemaless}
	var texts []string
	for _, a := range answers {
		text, err := json.MarshalIndent(seen.normalize(runtime.DeepCopyJSON(a.object)), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, a.what+" "+string(text))
	}
	return texts
}

// sendAll sends requests, one after the other, and returns the answers.
func (s *side) sendAll(t *testing.T, requests []request) []answer {
	t.Helper()
	latest := map[string]any{}
	var answers []answer
	for _, r := range requests {
		code, object, err := s.send(t.Context(), r, latest)
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := object["metadata"].(map[string]any); ok && m["uid"] != nil {
			latest = m
		}
		answers = append(answers, answer{what: fmt.Sprint(code), object: object})
	}
	return answers
}

// send sends a request and returns the code and the JSON of the answer.
func (s *side) send(ctx context.Context, r request, latest map[string]any) (int, map[string]any, error) {
	text := strings.NewReplacer("$rv", fmt.Sprint(latest["resourceVersion"]), "$uid", fmt.Sprint(latest["uid"])).Replace(r.body)
	req, err := http.NewRequestWithContext(ctx, r.method, strings.TrimSuffix(s.config.Host, "/")+"/apis/example.com/v1/namespaces/"+r.path, strings.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "tester/1.0")
	if r.kind != "" {
		req.Header.Set("Content-Type", "application/"+r.kind)
	}
	res, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, nil, err
	}
	object := map[string]any{}
	if err := utiljson.Unmarshal(body, &object); err != nil {
		return res.StatusCode, map[string]any{"text": string(bytes.TrimSpace(body))}, nil
	}
	return res.StatusCode, object, nil
}

// versions names resourceVersions and UIDs by the order in which they are seen, so that two servers can be
// compared.
type versions struct {
	names map[string]string
	// schemaless says that managed fields are compared as far as a server knows
	// them that has no schema.
	schemaless bool
}

func (v versions) name(kind string, value any) string {
	key := fmt.Sprint(kind, value)
	if v.names[key] == "" {
		v.names[key] = fmt.Sprint(kind, len(v.names))
	}
	return v.names[key]
}

// accident matches the accidental parts of messages. They are about the storage of the real server, UIDs
// and resourceVersions, Go types, media types that no type here has, and the object that a patch is for.
var accident = regexp.MustCompile(`StorageError:.*AdditionalErrorMsg: |, application/vnd.kubernetes.protobuf|[0-9a-f-]{36}|error decoding patch: |Invalid value: "\{.*": (Thing in version "v1" cannot be handled as a Thing: )?|record \(\d+\)|Go value of type .*`)

// normalize makes of an answer what is equal for servers that do the same.
func (v versions) normalize(answer map[string]any) map[string]any {
	if metadata, ok := answer["metadata"].(map[string]any); ok {
		v.metadata(metadata)
	}
	if message, ok := answer["message"].(string); ok {
		answer["message"] = accident.ReplaceAllString(message, "")
	}
	if details, ok := answer["details"].(map[string]any); ok {
		if details["uid"] != nil {
			details["uid"] = v.name("uid", details["uid"])
		}
		if causes, ok := details["causes"].([]any); ok {
			for _, cause := range causes {
				v.normalize(cause.(map[string]any))
			}
			details["causes"] = slices.CompactFunc(causes, func(x, y any) bool { return reflect.DeepEqual(x, y) })
		}
	}
	if items, ok := answer["items"].([]any); ok {
		for _, item := range items {
			v.normalize(item.(map[string]any))
		}
	}
	return answer
}

func (v versions) metadata(metadata map[string]any) {
	for _, name := range []string{"resourceVersion", "uid"} {
		if value, ok := metadata[name]; ok {
			metadata[name] = v.name(name, value)
		}
	}
	for _, name := range []string{"creationTimestamp", "deletionTimestamp"} {
		if metadata[name] != nil {
			metadata[name] = "set"
		}
	}
	if metadata["continue"] == "" {
		delete(metadata, "continue")
	}
	// Entries of one time are in any order.
	entries, _ := metadata["managedFields"].([]any)
	owner := func(entry any) string {
		m := entry.(map[string]any)
		return fmt.Sprint(m["manager"], m["operation"], m["subresource"])
	}
	slices.SortFunc(entries, func(x, y any) int { return strings.Compare(owner(x), owner(y)) })
	for _, entry := range entries {
		m := entry.(map[string]any)
		m["time"] = "set"
		if v.schemaless {
			removeSelf(m["fieldsV1"])
		}
	}
}

// removeSelf removes from a set of fields what says that an object itself is
// owned, besides its fields. It depends on the schema.
func removeSelf(fields any) {
	m, _ := fields.(map[string]any)
	delete(m, ".")
	for name, value := range m {
		if removeSelf(value); name == "f:spec" && len(value.(map[string]any)) == 0 {
			delete(m, name)
		}
	}
}

// sentinel is the name of the last object of a watch.
const sentinel = "sentinel"

// events watches the things of a namespace, and returns a function that
// returns the events up to the sentinel.
func (s *side) events(t *testing.T, namespace string) func() []answer {
	t.Helper()
	client, err := dynamic.NewForConfig(s.config)
	if err != nil {
		t.Fatal(err)
	}
	things := client.Resource(thing).Namespace(namespace)
	list, err := things.List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, err := things.Watch(t.Context(), metav1.ListOptions{ResourceVersion: list.GetResourceVersion()})
	if err != nil {
		t.Fatal(err)
	}
	return func() []answer {
		defer w.Stop()
		var events []answer
		for {
			event, ok := <-w.ResultChan()
			obj, isObject := event.Object.(*unstructured.Unstructured)
			if !ok || !isObject {
				return append(events, answer{what: fmt.Sprint("ended: ", event.Object)})
			}
			if obj.GetName() == sentinel {
				return events
			}
			events = append(events, answer{what: string(event.Type), object: obj.Object})
		}
	}
}
