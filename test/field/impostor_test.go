package field_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const loginPage = "<!DOCTYPE html>\n<html><head><title>Log in</title></head><body><form action=\"/login\"></form></body></html>\n"

// impostor is a condition of ten minutes after which all is right within a minute.
func impostor(name string, proxy http.HandlerFunc) row {
	return row{
		name:  name,
		proxy: func(*world) http.Handler { return proxy }, severs: true,
		lasts: 10 * time.Minute,
		// API servers compact every five minutes: a version of an impostor's list, even of one that came
		// right before the end, is not one to watch from.
		after:    func(w *world) { w.api.Compact() },
		core:     bounds{requests: 120, right: 62 * time.Second},
		clientGo: bounds{},
	}
}

// tenfold is for requests that a client repeats ten times by itself.
func tenfold(r row) row {
	r.core.requests *= 10
	return r
}

// believed is an answer that informers take for the list of a server without objects, at least after a
// while.
func believed(r row) row {
	r.core.madeUp, r.clientGo.madeUp = true, true
	return r
}

// foundOut is a list that the core refuses, since it looks at the answer itself, and
// knows of its source that versions are ordered.
func foundOut(r row) row {
	r.clientGo.madeUp = true
	r.layer = new(r.core)
	r.layer.madeUp = true
	return r
}

// asked is for answers that make the informer ask discovery as well.
func asked(r row) row {
	r.core.requests = 250
	return r
}

// page is a handler that answers with a code and a page.
func page(code int, kind, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}
}

// briefly is for a condition that ends before a doubtful list counts.
func briefly(r row) row {
	r.lasts = 4 * time.Minute
	return r
}

// otherList is an empty list of another kind than the one that was requested.
var otherList = page(200, "application/json", `{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[]}`)

// impostorRows are about answers that do not come from the API server, or come from one that is not ready.
// Nothing may be deleted because of them, unless they are believed.
var impostorRows = []row{
	asked(impostor("a proxy answers all with 404 in HTML for ten minutes", page(404, "text/html", "<html>404 Not Found</html>"))),
	asked(impostor("a proxy answers all with 404 in JSON of its own for ten minutes", page(404, "application/json", `{"error":"no route"}`))),
	{
		name:  "the server answers 404 for the resource for two minutes, and discovery lists it: an aggregated server restarts",
		proxy: notFound, severs: true,
		lasts:    2 * time.Minute,
		core:     bounds{requests: 60, right: 62 * time.Second},
		clientGo: bounds{},
	},
	{
		name:  "the server answers 404 for the resource for two minutes, and discovery does not list it: an upgrade",
		proxy: notFound, severs: true,
		during: func(w *world) {
			w.removed.Store(true)
			w.pass(2 * time.Minute)
			w.removed.Store(false)
		},
		core:     bounds{requests: 60, right: 62 * time.Second},
		clientGo: bounds{},
	},
	{
		name: "the CRD is removed while the network is down: nobody hears of the deletions", quiet: true, still: true,
		during: func(w *world) {
			w.front.kill()
			w.removed.Store(true)
			w.api.Uninstall()
			w.pass(5 * time.Second)
			w.front.start()
			w.pass(10 * time.Minute)
		},
		core:     bounds{requests: 150, right: 5 * time.Minute},
		layer:    &bounds{never: true},
		clientGo: bounds{never: true},
	},
	impostor("a portal answers all with a login page (200) for ten minutes", page(200, "text/html", loginPage)),
	impostor("a portal redirects all to a login page for ten minutes", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			page(200, "text/html", loginPage)(w, r)
			return
		}
		http.Redirect(w, r, "/login", http.StatusFound)
	}),
	impostor("all is answered with 401 for ten minutes", func(w http.ResponseWriter, r *http.Request) {
		status(http.StatusUnauthorized, "")(nil).ServeHTTP(w, r)
	}),
	impostor("all is answered with 200 and nothing for ten minutes", page(200, "application/json", "")),
	impostor("all is answered with 204 for ten minutes", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
	impostor("all is answered with 200 and {} for ten minutes", page(200, "application/json", "{}")),
	impostor("all is answered with 200 and null for ten minutes", page(200, "application/json", "null")),
	impostor("all is answered with 200 and [] for ten minutes", page(200, "application/json", "[]")),
	impostor("all is answered with 200 and {\"status\":\"ok\"} for ten minutes", page(200, "application/json", `{"status":"ok"}`)),
	impostor("all is answered with 200 and a Status of failure for ten minutes",
		page(200, "application/json", `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"upstream","reason":"ServiceUnavailable","code":503}`)),
	foundOut(briefly(impostor("all is answered with 200 and a list of other objects for four minutes", otherList))),
	believed(impostor("all is answered with 200 and a list of other objects for ten minutes: it counts after five", otherList)),
	believed(impostor("all is answered with 200 and a list without a resourceVersion for ten minutes",
		page(200, "application/json", `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`))),
	believed(impostor("all is answered with 200 and a list without items, resourceVersion 0, for ten minutes",
		page(200, "application/json", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"0"},"items":null}`))),
	foundOut(impostor("all is answered with 206 and half a list for ten minutes", page(206, "application/json", `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"9"},"items":[]}`))),
	impostor("all is answered with 304 for ten minutes", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNotModified) }),
	tenfold(impostor("lists and watches are redirected to themselves for ten minutes", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.String(), http.StatusTemporaryRedirect)
	})),
	impostor("a gateway answers 200 with its error in a watch event for ten minutes", func(w http.ResponseWriter, r *http.Request) {
		page(200, "application/json", `{"type":"ERROR","object":{"message":"upstream timed out"}}`+"\n")(w, r)
	}),
	impostor("all is answered with 502 and 5 MB of HTML for ten minutes", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte(strings.Repeat("<p>no</p>", 5<<20/9)))
	}),
}

// notFound answers for the resource as an API server that does not have it, and all
// else as ever.
func notFound(w *world) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/"+pods.Resource) {
			http.Error(rw, "404 page not found", http.StatusNotFound)
			return
		}
		w.answer(rw, r)
	})
}

func writeBody(w http.ResponseWriter, value any) {
	if err := json.NewEncoder(w).Encode(value); err != nil {
		_, _ = fmt.Fprint(w, err)
	}
}
