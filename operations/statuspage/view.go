package statuspage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/informer-gen/informer-gen/operations/membership"
	"github.com/informer-gen/informer-gen/runtime/cache"
	"github.com/informer-gen/informer-gen/runtime/cache/failure"
	"github.com/informer-gen/informer-gen/runtime/controller"
)

// refreshEvery is the time between refreshes of a page, in seconds.
const refreshEvery = "5"

// view has everything that is shown at one time. As JSON it is the data of the page.
type view struct {
	Title       string              `json:"title"`
	Time        time.Time           `json:"time"`
	Problems    []problem           `json:"problems"`
	Informers   []cache.Status      `json:"informers"`
	Controllers []controller.Status `json:"controllers,omitempty"`
	Members     []membership.Status `json:"members,omitempty"`
	// Key was looked for, Found the objects that there are, and LeftOut why informers
	// leave the object out.
	Key     string            `json:"key,omitempty"`
	Found   []found           `json:"found,omitzero"`
	LeftOut map[string]string `json:"leftOut,omitempty"`

	samples    []sample
	window     time.Duration
	searchable bool
	refresh    bool
}

// html returns the page.
func (v view) html() string {
	head := el("head",
		el("meta", attr{"charset", "utf-8"}),
		el("meta", attr{"name", "viewport"}, attr{"content", "width=device-width, initial-scale=1"}),
		el("title", v.Title),
		el("link", attr{"rel", "icon"}, attr{"href", "data:,"}),
		el("style", markup(style)))
	if v.refresh {
		head.content = append(head.content, el("meta", attr{"http-equiv", "refresh"}, attr{"content", refreshEvery}))
	}
	first := []any{v.problems(), v.search()}
	if v.Key != "" {
		slices.Reverse(first) // it was asked for
	}
	body := el("body", v.header(), el("main", first[0], first[1], v.informers(), v.handlers(), v.controllers(), v.members(), v.details()))
	var b strings.Builder
	b.WriteString("<!DOCTYPE html>\n")
	el("html", attr{"lang", "en"}, head, body).write(&b)
	return b.String()
}

func (v view) header() element {
	objects := 0
	for _, s := range v.Informers {
		objects += s.Objects
	}
	refresh := el("a", attr{"href", "?refresh"}, "refresh every "+refreshEvery+" s")
	if v.refresh {
		refresh = el("a", attr{"href", "?"}, "stop refreshing")
	}
	return el("header", el("h1", v.Title),
		el("span", class("soft"), plural(len(v.Informers), "informer")+", "+plural(objects, "object")),
		el("span", class("soft"), v.Time.UTC().Format("2006-01-02 15:04:05 UTC")),
		refresh, el("a", attr{"href", "?format=json"}, "JSON"), v.contents())
}

// contents leads to the tables, which are far down if there are many informers.
func (v view) contents() element {
	nav := el("nav", attr{"aria-label", "Tables"})
	for _, to := range []struct {
		id, text string
		shown    bool
	}{
		{"informers", "Informers", len(v.Informers) > 0},
		{"handlers", "Handlers", slices.ContainsFunc(v.Informers, func(s cache.Status) bool { return len(s.Handlers) > 0 })},
		{"controllers", "Controllers", len(v.Controllers) > 0},
		{"members", "Members", len(v.Members) > 0},
		{"details", "Details", len(v.Informers) > 0},
	} {
		if to.shown {
			nav.content = append(nav.content, el("a", attr{"href", "#" + to.id}, to.text))
		}
	}
	return nav
}

// section is a part of the page with a heading.
func section(id, heading, about string, content ...any) element {
	title := el("h2", attr{"id", id}, heading+" ", el("small", about))
	return el("section", append([]any{attr{"aria-labelledby", id}, title}, content...)...)
}

// nothing is an element that is not there.
var nothing []element

func (v view) problems() any {
	switch {
	case len(v.Problems) == 0 && len(v.Informers) == 0:
		return nothing
	case len(v.Problems) == 0:
		return el("p", class("good"), "No problems: "+plural(len(v.Informers), "informer")+" in sync.")
	}
	var items []element
	for _, p := range v.Problems {
		severity := "note"
		if p.Urgent {
			severity = "bad"
		}
		items = append(items, el("li", class(severity+"-edge"), el("p", el("b", class(severity), p.Subject), ": "+p.What), el("p", class("soft"), p.Advice)))
	}
	return section("problems", "Problems", "", el("ul", class("problems"), items))
}

func (v view) search() any {
	if !v.searchable {
		return nothing
	}
	form := el("form", attr{"method", "get"}, attr{"role", "search"},
		el("input", attr{"type", "search"}, attr{"name", "key"}, attr{"value", v.Key}, attr{"aria-label", "Key of an object"},
			attr{"placeholder", "namespace/name, or name"}, attr{"maxlength", fmt.Sprint(maxKey)}, attr{"autocomplete", "off"}, attr{"spellcheck", "false"}),
		el("button", attr{"type", "submit"}, "Find"))
	if v.Key == "" {
		return section("find", "Find an object", "in the stores", form)
	}
	var leftOut []element
	for _, informer := range slices.Sorted(maps.Keys(v.LeftOut)) {
		leftOut = append(leftOut, el("p", el("b", class("note"), informer), " leaves it out: "+v.LeftOut[informer]))
	}
	if len(v.Found) > 0 {
		t := table{columns: []column{{"Informer", "name"}, {"resourceVersion", "key"}, {"Generation", "n"}, {"Created", "t"}, {"Deletion", "t"}, {"UID", "key"}}}
		var contents []element
		for _, f := range v.Found {
			deletion := "not requested"
			if f.Deleting != nil {
				deletion = "requested " + ago(*f.Deleting, v.Time)
			}
			created := "not known"
			if !f.Created.IsZero() {
				created = ago(f.Created, v.Time)
			}
			t.row(f.Informer, f.ResourceVersion, number(float64(f.Generation)), created, deletion, f.UID)
			switch {
			case f.Content != nil:
				contents = append(contents, el("details", el("summary", "Content in "+f.Informer), el("pre", string(f.Content))))
			case f.Withheld != "":
				contents = append(contents, el("p", class("soft"), "Content in "+f.Informer+": "+f.Withheld+"."))
			}
		}
		return section("find", "Find an object", "in the stores", form, t.element("find"), leftOut, contents)
	}
	missing := el("p", "No store has ", el("span", class("key"), v.Key), ".")
	if slices.ContainsFunc(v.Informers, func(s cache.Status) bool { return !s.Synced }) {
		missing.content = append(missing.content, " Informers that are not in sync may get it yet.")
	}
	return section("find", "Find an object", "in the stores", form, missing, leftOut)
}

func (v view) informers() any {
	if len(v.Informers) == 0 {
		return section("informers", "Informers", "", el("p", "The factory has none yet. Accessors such as Informer and Lister add them."))
	}
	t := table{columns: []column{{"Informer", "name"}, {"State", ""}, {"Objects", "n"}, {"Last contact", "t"}, {"Events/s", ""}, {"Events", "n"}, {"Relists", "n"}, {"Reconnects", "n"}}}
	for i, s := range v.Informers {
		events := values(v.samples, func(s sample) map[string]uint64 { return s.events }, s.Name)
		t.row(el("a", attr{"href", fmt.Sprintf("#informer-%d", i)}, breakable(s.Name)), state(s), number(float64(s.Objects)), v.contact(s),
			picture("Events per second of "+s.Name, rates(events), v.window, v.Time),
			number(float64(s.Events)), number(float64(s.Relists)), number(float64(s.Reconnects)))
	}
	return section("informers", "Informers", sinceStart, t.element("informers"))
}

const (
	// sinceStart says what the columns of counters are.
	sinceStart = "totals since the program started"
	// notStarted is a controller without workers.
	notStarted = "not started, or waiting for its informers"
)

// state says what an informer is doing, for how long, and how far the first list is.
func state(s cache.Status) element {
	text := s.Phase.String()
	if !s.Since.IsZero() {
		text += " " + brief(time.Since(s.Since))
	}
	if !s.Synced && s.Received > 0 {
		text += ", " + plural(s.Received, "object") + " so far"
		if s.Expected > 0 {
			text += " of about " + number(float64(s.Expected))
		}
	}
	if !s.Synced && s.Phase != cache.PhasePending {
		text = "not in sync, " + text
	}
	switch {
	case s.Phase == cache.PhaseWatching && s.Synced:
		return el("span", class("good"), text)
	case s.Phase == cache.PhaseStopped || s.Phase == cache.PhaseAbsent || s.Attempts > 0:
		return el("span", class("bad"), text)
	default:
		return el("span", class("note"), text)
	}
}

// contact is when the server last showed that the store is up to date.
func (v view) contact(s cache.Status) element {
	switch {
	case s.Phase == cache.PhasePending || s.Started.IsZero():
		return el("span", class("soft"), "not known")
	case s.LastContact.IsZero():
		return el("span", class("note"), "none yet")
	case s.Stale() > staleAfter:
		return el("span", class("bad"), brief(s.Stale())+" ago")
	default:
		return el("span", brief(s.Stale())+" ago")
	}
}

// maxHandlers limits how many handlers the page shows. JSON has all.
const maxHandlers = 500

func (v view) handlers() any {
	var more []element
	t := table{columns: []column{{"Handler", "name"}, {"Informer", "of"}, {"Backlog", "n"}, {"Backlog over time", ""}, {"Calls/s", ""}, {"Lag", "n"}, {"Longest call", "n"}, {"Calls", "n"}, {"Panics", "n"}}}
	for _, s := range v.Informers {
		for i, h := range s.Handlers {
			if len(t.rows) == maxHandlers {
				more = append(more, el("p", class("soft"), fmt.Sprintf("And %s of %s.", plural(len(s.Handlers)-i, "handler"), s.Name)))
				break
			}
			of := [2]string{s.Name, h.Name}
			backlog := values(v.samples, func(s sample) map[[2]string]int { return s.backlogs }, of)
			calls := values(v.samples, func(s sample) map[[2]string]uint64 { return s.calls }, of)
			t.row(h.Name, s.Name, number(float64(h.Backlog)),
				picture("Backlog of "+h.Name, backlog, v.window, v.Time), picture("Calls per second of "+h.Name, rates(calls), v.window, v.Time),
				brief(h.Lag), brief(h.LongestCall), number(float64(h.Delivered)), number(float64(h.Panics)))
		}
	}
	if len(t.rows) == 0 {
		return nothing
	}
	return section("handlers", "Handlers", "the last "+brief(v.window)+", and totals since they were added", t.element("handlers"), more)
}

func (v view) controllers() any {
	if len(v.Controllers) == 0 {
		return nothing
	}
	t := table{columns: []column{{"Controller", "name"}, {"State", ""}, {"In progress", "key"}, {"Waiting", "n"}, {"Oldest", "n"}, {"Delayed", "n"}, {"Succeeded", "n"}, {"Failed", "n"}, {"Terminal errors", "n"}}}
	for _, s := range v.Controllers {
		state := el("span", class("note"), notStarted)
		if s.Synced {
			state = el("span", class("good"), "started")
		}
		t.row(s.Name, state, running(s.Running), number(float64(s.Waiting)), brief(s.Oldest), number(float64(s.Delayed)),
			number(float64(s.Succeeded)), number(float64(s.Failed)), number(float64(s.Terminal)))
	}
	return section("controllers", "Controllers", sinceStart, t.element("controllers"))
}

// running are the keys that are being reconciled, those that take longest first.
func running(all []controller.Running) element {
	const most = 3
	var keys []string
	for i, r := range all {
		if i == most {
			keys = append(keys, fmt.Sprintf("and %d more", len(all)-most))
			break
		}
		keys = append(keys, fmt.Sprintf("%v for %s", r.Key, brief(r.For)))
	}
	return el("span", strings.Join(keys, ", "))
}

// details are the facts that the tables have no place for, folded.
func (v view) details() any {
	var all []element
	for i, s := range v.Informers {
		d := el("details", attr{"id", fmt.Sprintf("informer-%d", i)}, el("summary", s.Name+": ", el("span", class("soft"), summary(s.String()))), v.facts(s))
		all = append(all, d)
	}
	if len(all) == 0 {
		return nothing
	}
	return section("details", "Details", "of each informer", all)
}

// facts is the list of what is known of an informer.
func (v view) facts(s cache.Status) element {
	list := el("dl")
	add := func(term string, description any) {
		list.content = append(list.content, el("dt", term), el("dd", description))
	}
	addError := func(term string, err error) {
		if err != nil {
			add(term, err.Error())
		}
	}
	if s.LastError != nil {
		add("Last error", s.LastError.Error())
		add("What to do", failure.ClassOf(s.LastError).Advice())
	}
	add("Started", ago(s.Started, v.Time))
	add("resourceVersion", el("span", class("key"), s.ResourceVersion))
	add("Last event", ago(s.LastEvent, v.Time))
	add("Last bookmark", fmt.Sprintf("%s, %s", ago(s.LastBookmark, v.Time), plural(int(s.Bookmarks), "bookmark")))
	add("Lists", outcomes(s.Lists))
	add("Watch-lists", outcomes(s.WatchLists))
	add("Watches that ended", outcomes(s.Watches))
	add("Relists", strings.TrimSuffix(number(float64(s.Relists))+": "+counts(s.RelistReasons), ": "))
	addError("Last relist", s.RelistReason)
	addError("Last reconnect", s.ReconnectReason)
	for _, name := range slices.Sorted(maps.Keys(s.LeftOutObjects)) {
		add("Left out now", cmp.Or(name, unknownName)+": "+s.LeftOutObjects[name])
	}
	if more := s.LeftOut - len(s.LeftOutObjects); more > 0 {
		add("Left out now", "and "+number(float64(more))+" more")
	}
	if n := s.Names; n != nil {
		add("Names", fmt.Sprintf("%s: %s known, %s absent, %s by metadata, %s failing", number(float64(n.Followed)),
			number(float64(n.Known)), number(float64(n.Absent)), number(float64(n.ByMetadata)), number(float64(n.Failing))))
		for _, name := range slices.Sorted(maps.Keys(n.Reasons)) {
			add("Name "+name, n.Reasons[name])
		}
	}
	for _, n := range s.Namespaces {
		add("Namespace "+n.Name, fmt.Sprintf("%s; %s", plural(n.Objects, "object"), n))
	}
	return list
}

func outcomes(o failure.Outcomes) string {
	text := number(float64(o.Succeeded)) + " succeeded"
	if failed := o.Failed.Total(); failed > 0 {
		text += fmt.Sprintf(", %s failed: %s", number(float64(failed)), counts(o.Failed))
	}
	return text
}

// counts are the classes that are not zero.
func counts(c failure.Counts) string {
	var all []string
	for class, n := range c.All() {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s %v", number(float64(n)), class))
		}
	}
	return strings.Join(all, ", ")
}
