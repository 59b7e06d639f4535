package statuspage

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/controller"
)

// defaultInterval is the time between two samples.
const defaultInterval = 5 * time.Second

// maxKey is the maximum length of a key that is looked up: a namespace and a name.
const maxKey = 512

// Factory has the method of a factory that a page calls. Generated factories and the factories of
// runtime/factory fit. They also have the method Lookup, with which the page can look up objects.
type Factory interface {
	Status() []cache.Status
}

// lookup is implemented by factories that find objects.
type lookup interface {
	Lookup(key types.NamespacedName) map[string]any
}

// Controller has the method of a runtime/controller Controller that a page calls.
type Controller interface {
	Status() controller.Status
}

// Member has the method of an operations/membership Member that a page calls.
type Member interface {
	Status() membership.Status
}

// Options configure a page. The zero value means a page of informers and handlers.
type Options struct {
	// Title is the heading of the page, "Informers" by default.
	Title string
	// Controllers are shown after the informers, in this order.
	Controllers []Controller
	// Members are shown below the controllers, each with this replica's slots.
	Members []Member
	// Contents makes the page show the objects that are looked up, as JSON without managed fields. Secrets
	// are never shown: objects whose Go type or kind has Secret in its name, and objects of an informer of
	// secrets. Other objects may contain secrets too, for example in the environment of containers: see
	// Exclude.
	Contents bool
	// Exclude reports whether the content of an object must not be shown. It must not change the object. If
	// it is nil, only Secrets are excluded.
	Exclude func(obj any) bool
	// Interval is the time between two samples of Run. Zero or negative means 5 seconds. The pictures show
	// 120 samples, which is ten minutes by default.
	Interval time.Duration
}

// Page is an http.Handler that shows the informers of a factory. Its methods are safe for
// concurrent use.
type Page struct {
	factory Factory
	options Options
	history history
}

// New returns a page of the informers that a factory has when it is requested.
func New(factory Factory, options Options) *Page {
	options.Title = cmp.Or(options.Title, "Informers")
	if options.Interval <= 0 {
		options.Interval = defaultInterval
	}
	return &Page{factory: factory, options: options, history: history{interval: options.Interval}}
}

// Run takes samples for the pictures until ctx ends, and then returns nil. Without Run, only requests take
// samples.
func (p *Page) Run(ctx context.Context) error {
	ticker := time.NewTicker(p.options.Interval)
	defer ticker.Stop()
	for {
		p.history.add(newSample(time.Now(), p.factory.Status()))
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// ServeHTTP responds with the page. If the client accepts JSON rather than HTML, or the query has
// format=json, it responds with the data of the page as JSON. The statuses are as json.Marshal writes them.
// "problems" has the problems, "found" and "leftOut" the result of a look-up.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	setHeaders(w.Header())
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method "+r.Method+": not allowed; the page only shows things", http.StatusMethodNotAllowed)
		return
	}
	query := r.URL.Query()
	asked := query.Get("key")
	if len(asked) > maxKey {
		http.Error(w, "key: too long; expected namespace/name", http.StatusBadRequest)
		return
	}
	v := p.view(asked)
	switch format := cmp.Or(query.Get("format"), accepted(r.Header.Values("Accept"))); format {
	case "json":
		v.serveJSON(w)
	case "html":
		v.refresh = query.Has("refresh")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(v.html()))
	default:
		http.Error(w, "format: unknown; expected html or json", http.StatusBadRequest)
	}
}

// setHeaders sets the headers of every response: it must not be stored or framed, and loads nothing from
// elsewhere.
func setHeaders(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

// accepted returns the format that a client names first. It is html by default.
func accepted(accept []string) string {
	for part := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		mediaType, _, _ := strings.Cut(part, ";")
		switch strings.ToLower(strings.TrimSpace(mediaType)) {
		case "application/json":
			return "json"
		case "text/html":
			return "html"
		}
	}
	return "html"
}

// view takes a sample, and returns the data of the page.
func (p *Page) view(asked string) view {
	now, statuses := time.Now(), p.factory.Status()
	p.history.add(newSample(now, statuses))
	v := view{
		Title: p.options.Title, Time: now, Informers: statuses,
		samples: p.history.all(), window: historySize * p.options.Interval,
	}
	for _, c := range p.options.Controllers {
		v.Controllers = append(v.Controllers, c.Status())
	}
	for _, m := range p.options.Members {
		v.Members = append(v.Members, m.Status())
	}
	v.Problems = problemsOf(v.Informers, v.Controllers, v.Members, now)
	finder, ok := p.factory.(lookup)
	v.searchable = ok
	if key, valid := parseKey(asked); ok && valid {
		v.Key, v.Found = asked, p.options.find(finder.Lookup(key))
		v.LeftOut = leftOut(strings.TrimPrefix(key.String(), "/"), statuses)
	}
	return v
}

// parseKey parses namespace/name, or the name of an object without a namespace.
func parseKey(text string) (key types.NamespacedName, ok bool) {
	text = strings.TrimSpace(text)
	namespace, name, namespaced := strings.Cut(text, "/")
	if !namespaced {
		namespace, name = "", text
	}
	return types.NamespacedName{Namespace: namespace, Name: name}, name != ""
}

// serveJSON responds with the data of the page.
func (v view) serveJSON(w http.ResponseWriter) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, "status: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n'))
}
