package field_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
)

// oddRow has the responses of a server whose resourceVersions or UIDs differ from kube-apiserver's, and the
// events that a handler must get.
type oddRow struct {
	name string
	// lists are the answers to the lists, the last one for all that follow. A
	// watch-list is answered with the first. An item is name, UID, version and state.
	lists []string
	// watch are the events of the first watch; "410" ends it.
	watch []string
	// events are the events after the initial ones, in order, and state is the store in the end.
	events []string
	state  []string
	// clientGo are the events of client-go, if they are others.
	clientGo []string
}

// oddRows are tested with informers that list, and with informers that ask for watch-lists.
var oddRows = []oddRow{
	{
		name:   "an object is hidden and shown again at one version, as permissions change",
		lists:  []string{"1: a,u,1,0"},
		watch:  []string{"ADDED b,v,5,0", "DELETED b,v,5,0", "ADDED b,v,5,0", "DELETED b,v,5,0", "ADDED b,v,5,0"},
		events: []string{"add b 0", "delete b 0", "add b 0", "delete b 0", "add b 0"},
		state:  []string{"a0", "b0"},
	},
	{
		name:   "an object is hidden again at the end",
		lists:  []string{"5: a,u,5,0"},
		watch:  []string{"DELETED a,u,5,0", "ADDED a,u,5,0", "DELETED a,u,5,0"},
		events: []string{"delete a 0", "add a 0", "delete a 0"},
	},
	{
		name:   "versions never change",
		lists:  []string{"1: a,u,1,0 b,v,1,0"},
		watch:  []string{"MODIFIED a,u,1,1", "MODIFIED b,v,1,1", "MODIFIED a,u,1,2", "MODIFIED a,u,1,1"},
		events: []string{"update a 0 1", "update b 0 1", "update a 1 2", "update a 2 1"},
		state:  []string{"a1", "b1"},
	},
	{
		name:   "versions never change, and a list has other content",
		lists:  []string{"1: a,u,1,0 b,v,1,0", "1: a,u,1,1 b,v,1,0"},
		watch:  []string{"410"},
		events: []string{"update a 0 1"},
		state:  []string{"a1", "b0"},
	},
	{
		name:   "objects without UIDs have one version",
		lists:  []string{"1: a,,1,0 b,,1,0 c,,1,0"},
		watch:  []string{"ADDED d,,1,0", "ADDED e,,1,0", "ADDED f,,1,0", "MODIFIED a,,1,1", "MODIFIED b,,1,1", "MODIFIED a,,1,2", "DELETED c,,1,0", "ADDED c,,1,0", "DELETED c,,1,0"},
		events: []string{"add d 0", "add e 0", "add f 0", "update a 0 1", "update b 0 1", "update a 1 2", "delete c 0", "add c 0", "delete c 0"},
		state:  []string{"a2", "b1", "d0", "e0", "f0"},
	},
	{
		name:   "objects have neither UIDs nor versions",
		lists:  []string{": a,,,0 b,,,0"},
		watch:  []string{"MODIFIED a,,,1", "MODIFIED b,,,1", "MODIFIED a,,,2", "ADDED c,,,0", "DELETED c,,,0", "ADDED c,,,0"},
		events: []string{"update a 0 1", "update b 0 1", "update a 1 2", "add c 0", "delete c 0", "add c 0"},
		state:  []string{"a2", "b1", "c0"},
	},
	{
		name:   "objects without versions, and a list has other content",
		lists:  []string{"7: a,u,,0 b,v,,0", "8: a,u,,1 b,v,,0"},
		watch:  []string{"410"},
		events: []string{"update a 0 1"},
		state:  []string{"a1", "b0"},
	},
	{
		name:   "versions are no numbers",
		lists:  []string{"x: a,u,x1,0 b,v,x1,0", "y: a,u,x3,2 b,v,x1,0"},
		watch:  []string{"MODIFIED a,u,x9,1", "MODIFIED b,v,x0,1", "MODIFIED b,v,x1,0", "410"},
		events: []string{"update a 0 1", "update b 0 1", "update b 1 0", "update a 1 2"},
		state:  []string{"a2", "b0"},
	},
	{
		name:   "versions go down",
		lists:  []string{"9: a,u,9,0"},
		watch:  []string{"MODIFIED a,u,8,1", "MODIFIED a,u,7,2", "ADDED b,v,3,0"},
		events: []string{"update a 0 1", "update a 1 2", "add b 0"},
		state:  []string{"a2", "b0"},
	},
	{
		name:   "an object is replaced by another of the same name, without a deletion",
		lists:  []string{"9: a,u,9,0"},
		watch:  []string{"MODIFIED a,w,10,1", "ADDED a,x,11,2"},
		events: []string{"update a 0 1", "update a 1 2"},
		state:  []string{"a2"},
	},
	{
		name:   "an object that is not known is modified, and one is deleted",
		lists:  []string{"9: a,u,9,0"},
		watch:  []string{"MODIFIED b,v,10,0", "DELETED c,w,11,0"},
		events: []string{"add b 0"},
		state:  []string{"a0", "b0"},
		// client-go delivers the deletion of what it never had.
		clientGo: []string{"add b 0", "delete c 0"},
	},
	{
		name:   "a known object is added again, with other content and a version that is older",
		lists:  []string{"9: a,u,9,0"},
		watch:  []string{"ADDED a,u,4,1"},
		events: []string{"update a 0 1"},
		state:  []string{"a1"},
	},
	{
		name:   "a list has an object twice",
		lists:  []string{"9: a,u,9,0 b,v,9,0 a,u,8,1"},
		watch:  []string{"MODIFIED a,u,10,2"},
		events: []string{"update a 1 2"},
		state:  []string{"a2", "b0"},
	},
	{
		name:   "versions do not fit into 64 bits",
		lists:  []string{"99999999999999999999999: a,u,99999999999999999999999,0"},
		watch:  []string{"MODIFIED a,u,100000000000000000000000,1", "MODIFIED a,u,100000000000000000000001,2"},
		events: []string{"update a 0 1", "update a 1 2"},
		state:  []string{"a2"},
	},
	{
		name:   "bookmarks have no version, or one that is older",
		lists:  []string{"9: a,u,9,0"},
		watch:  []string{"BOOKMARK ,,,", "MODIFIED a,u,10,1", "BOOKMARK ,,10,", "MODIFIED a,u,11,2"},
		events: []string{"update a 0 1", "update a 1 2"},
		state:  []string{"a2"},
	},
}

func TestOddServers(t *testing.T) {
	if *realTime {
		t.Skip("in virtual time only")
	}
	for _, r := range oddRows {
		for _, listing := range []bool{true, false} {
			for _, i := range implementations {
				t.Run(fmt.Sprintf("%s/%s/listing=%t", r.name, i.Name, listing), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) { r.test(t, i, listing) })
				})
			}
		}
	}
}

func (r oddRow) test(t *testing.T, i implementation, listing bool) {
	server := &oddServer{row: r, open: make(chan struct{})}
	w := &world{T: t, virtual: true, network: newNetwork(pipe)}
	w.front = &front{network: w.network, handler: server}
	w.front.start()
	t.Cleanup(func() { _ = w.front.server().Close(); w.network.close() })
	informer, told := newInformer(t, i, w.config(row{}), row{listing: listing}), &teller{}
	if _, err := informer.AddEventHandler(told); err != nil {
		t.Fatal(err)
	}
	go informer.RunWithContext(t.Context())
	w.pass(10 * time.Second)
	told.forget()
	close(server.open)
	w.pass(2 * time.Minute)
	want := r.events
	if i.Name == clientGo.Name && r.clientGo != nil {
		want = r.clientGo
	}
	if diff := cmp.Diff(want, told.get()); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	var state []string
	for _, obj := range informer.GetStore().List() {
		state = append(state, obj.(*v1.Pod).Name+obj.(*v1.Pod).Labels["state"])
	}
	slices.Sort(state)
	if diff := cmp.Diff(r.state, state); diff != "" {
		t.Errorf("store (-want +got):\n%s", diff)
	}
	if n := server.requests(); n > 20 {
		t.Errorf("%d requests", n)
	}
}

// oddServer answers with what a row has.
type oddServer struct {
	row oddRow
	// open is closed when the events of the first watch may come.
	open chan struct{}

	mu             sync.Mutex
	count          int
	lists, watches int
	byName         map[string]string
}

func (s *oddServer) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

func (s *oddServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	s.mu.Lock()
	s.count++
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case !strings.HasSuffix(r.URL.Path, "/pods"):
		http.NotFound(w, r)
	case query.Get("fieldSelector") != "":
		_, _ = fmt.Fprint(w, s.named(query.Get("fieldSelector")))
	case query.Get("watch") == "":
		version, items := s.list()
		_, _ = fmt.Fprintf(w, `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%s"},"items":[%s]}`, version, strings.Join(items, ","))
	default:
		if query.Get("sendInitialEvents") != "" {
			version, items := s.list()
			for _, item := range items {
				s.event(w, "ADDED", item)
			}
			s.event(w, "BOOKMARK", `{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"`+version+`","annotations":{"k8s.io/initial-events-end":"true"}}}`)
		}
		flush(w)
		s.watch(w, r)
	}
}

// list returns the version and the items of the next list.
func (s *oddServer) list() (version string, items []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text := s.row.lists[min(s.lists, len(s.row.lists)-1)]
	s.lists++
	version, rest, _ := strings.Cut(text, ":")
	s.byName = map[string]string{}
	for field := range strings.FieldsSeq(rest) {
		items = append(items, s.itemLocked(field))
	}
	return version, items
}

// itemLocked returns an object in JSON, and notes that it is there.
func (s *oddServer) itemLocked(text string) string {
	part := strings.Split(text, ",")
	object := fmt.Sprintf(`{"kind":"Pod","apiVersion":"v1","metadata":{"namespace":"ns","name":%q,"uid":%q,"resourceVersion":%q,"labels":{"state":%q}}}`,
		part[0], part[1], part[2], part[3])
	s.byName[part[0]] = object
	return object
}

// named answers a list of one name.
func (s *oddServer) named(selector string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var name string
	for term := range strings.SplitSeq(selector, ",") { // beside that of the namespace
		if value, ok := strings.CutPrefix(term, "metadata.name="); ok {
			name = value
		}
	}
	version, _, _ := strings.Cut(s.row.lists[0], ":")
	return fmt.Sprintf(`{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"%s"},"items":[%s]}`, version, s.byName[name])
}

func (s *oddServer) event(w http.ResponseWriter, event, object string) {
	_, _ = fmt.Fprintf(w, "{\"type\":%q,\"object\":%s}\n", event, object)
	flush(w)
}

// watch sends the events to the first watch, and nothing to others.
func (s *oddServer) watch(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.watches++
	first := s.watches == 1
	s.mu.Unlock()
	if first {
		select {
		case <-s.open:
		case <-r.Context().Done():
			return
		}
		for _, line := range s.row.watch {
			if line == "410" {
				s.event(w, "ERROR", `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`)
				return
			}
			event, text, _ := strings.Cut(line, " ")
			s.mu.Lock()
			object := s.itemLocked(text)
			if event == "DELETED" {
				delete(s.byName, strings.Split(text, ",")[0])
			}
			s.mu.Unlock()
			s.event(w, event, object)
		}
	}
	<-r.Context().Done()
}
