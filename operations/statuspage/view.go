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

// view holds everything that is shown at one time. As JSON it is the data of the page.
type view struct {
	Title       string              `json:"title"`
	Time        time.Time           `json:"time"`
	Problems    []problem           `json:"problems"`
	Informers   []cache.Status      `json:"informers"`
	Controllers []controller.Status `json:"controllers,omitempty"`
	Members     []membership.Status `json:"members,omitempty"`
	// Key is the key that was looked up, Found the objects under it, and LeftOut the reasons why informers
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
func (v view) html() markup {
	var nav, sections markup
	for _, table := range []struct {
		id, heading string
		content     markup
	}{
		{"informers", "Informers", v.informers()},
		{"handlers", "Handlers", v.handlers()},
		{"controllers", "Controllers", v.controllers()},
		{"members", "Members", v.members()},
		{"details", "Details", v.details()},
	} {
		if table.content != "" {
			nav += format(`<a href="#%s">%s</a>`, table.id, table.heading)
			sections += table.content
		}
	}
	before := v.problems() + v.search()
	if v.Key != "" {
		before = v.search() + v.problems() // the user searched for it
	}
	objects := 0
	for _, s := range v.Informers {
		objects += s.Objects
	}
	var head markup
	refresh := format(`<a href="?refresh">refresh every %s s</a>`, refreshEvery)
	if v.refresh {
		head = format(`<meta http-equiv="refresh" content="%s">`, refreshEvery)
		refresh = `<a href="?">stop refreshing</a>`
	}
	return format(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title><link rel="icon" href="data:,">%s
<style>%s</style></head>
<body><header><h1>%s</h1>
<span class="soft">%s, %s</span><span class="soft">%s</span>
%s<a href="?format=json">JSON</a><nav aria-label="Tables">%s</nav></header>
<main>%s%s</main></body></html>
`, v.Title, head, markup(style), v.Title, plural(len(v.Informers), "informer"), plural(objects, "object"),
		v.Time.UTC().Format("2006-01-02 15:04:05 UTC"), refresh, nav, before, sections)
}

func (v view) problems() markup {
	switch {
	case len(v.Informers) == 0 && len(v.Problems) == 0:
		return "<p>The factory has no informers yet. Accessors such as Informer and Lister add them.</p>\n"
	case len(v.Problems) == 0:
		return format(`<p class="good">No problems: %s in sync.</p>`, plural(len(v.Informers), "informer"))
	}
	var items markup
	for _, p := range v.Problems {
		severity := "note"
		if p.Urgent {
			severity = "bad"
		}
		items += format(`<li class="%s-edge"><p><b class="%s">%s</b>: %s</p><p class="soft">%s</p></li>`, severity, severity, p.Subject, p.What, p.Advice)
	}
	return section("problems", "Problems", "", format(`<ul class="problems">%s</ul>`, items))
}

func (v view) search() markup {
	if !v.searchable {
		return ""
	}
	content := format(`<form method="get" role="search"><input type="search" name="key" value="%s" aria-label="Key of an object" `+
		`placeholder="namespace/name, or name" maxlength="%s" autocomplete="off" spellcheck="false"><button type="submit">Find</button></form>`, v.Key, maxKey)
	switch {
	case len(v.Found) > 0:
		content += v.found()
	case v.Key != "":
		content += format(`<p>No store has <span class="key">%s</span>.`, v.Key)
		if slices.ContainsFunc(v.Informers, func(s cache.Status) bool { return !s.Synced }) {
			content += " Informers that are not in sync may get it yet."
		}
		content += "</p>\n"
	}
	for _, informer := range slices.Sorted(maps.Keys(v.LeftOut)) {
		content += format(`<p><b class="note">%s</b> leaves it out: %s</p>`, informer, v.LeftOut[informer])
	}
	return section("find", "Find an object", "in the stores", content)
}

// found returns the objects that were found.
func (v view) found() markup {
	t := table{columns: []column{{"Informer", "name"}, {"resourceVersion", "key"}, {"Generation", "n"}, {"Created", "t"}, {"Deletion", "t"}, {"UID", "key"}}}
	var contents markup
	for _, f := range v.Found {
		deletion := "not requested"
		if f.Deleting != nil {
			deletion = "requested " + ago(*f.Deleting, v.Time)
		}
		created := "not known"
		if !f.Created.IsZero() {
			created = ago(f.Created, v.Time)
		}
		t.row(f.Informer, f.ResourceVersion, f.Generation, created, deletion, f.UID)
		switch {
		case f.Content != nil:
			contents += format("<details><summary>Content in %s</summary><pre>%s</pre></details>\n", f.Informer, string(f.Content))
		case f.Withheld != "":
			contents += format(`<p class="soft">Content in %s: %s.</p>`, f.Informer, f.Withheld)
		}
	}
	return t.html("find") + contents
}

func (v view) informers() markup {
	if len(v.Informers) == 0 {
		return ""
	}
	t := table{columns: []column{{"Informer", "name"}, {"State", ""}, {"Objects", "n"}, {"Last contact", "t"}, {"Events/s", ""}, {"Events", "n"}, {"Relists", "n"}, {"Reconnects", "n"}}}
	for i, s := range v.Informers {
		_, events := points(v.samples, sampled{informer: s.Name})
		t.row(format(`<a href="#informer-%s">%s</a>`, i, breakable(s.Name)), state(s), s.Objects, v.contact(s),
			picture("Events per second of "+s.Name, events, v.window, v.Time), s.Events, s.Relists, s.Reconnects)
	}
	return section("informers", "Informers", sinceStart, t.html("informers"))
}

const (
	// sinceStart says what the columns of counters are.
	sinceStart = "totals since the program started"
	// notStarted is a controller without workers.
	notStarted = "not started, or waiting for its informers"
)

// state describes what an informer is doing, for how long, and the progress of its first list.
func state(s cache.Status) markup {
	text := s.Phase.String()
	if !s.Since.IsZero() {
		text += " " + brief(time.Since(s.Since))
	}
	if !s.Synced && s.Received > 0 {
		text += ", " + plural(s.Received, "object") + " so far"
		if s.Expected > 0 {
			text += " of about " + number(s.Expected)
		}
	}
	if !s.Synced && s.Phase != cache.PhasePending {
		text = "not in sync, " + text
	}
	switch {
	case s.Phase == cache.PhaseWatching && s.Synced:
		return span("good", text)
	case s.Phase == cache.PhaseStopped || s.Phase == cache.PhaseAbsent || s.Attempts > 0:
		return span("bad", text)
	default:
		return span("note", text)
	}
}

// contact returns when the server last showed that the store is up to date.
func (v view) contact(s cache.Status) markup {
	switch {
	case s.Phase == cache.PhasePending || s.Started.IsZero():
		return span("soft", "not known")
	case s.LastContact.IsZero():
		return span("note", "none yet")
	case s.Stale() > staleAfter:
		return span("bad", brief(s.Stale())+" ago")
	default:
		return span("", brief(s.Stale())+" ago")
	}
}

// maxHandlers limits how many handlers the page shows. The JSON has all of them.
const maxHandlers = 500

func (v view) handlers() markup {
	shown := 0
	var more markup
	t := table{columns: []column{{"Handler", "name"}, {"Informer", "of"}, {"Backlog", "n"}, {"Backlog over time", ""}, {"Calls/s", ""}, {"Lag", "n"}, {"Longest call", "n"}, {"Calls", "n"}, {"Panics", "n"}}}
	for _, s := range v.Informers {
		for i, h := range s.Handlers {
			if shown == maxHandlers {
				more += format(`<p class="soft">And %s of %s.</p>`, plural(len(s.Handlers)-i, "handler"), s.Name)
				break
			}
			shown++
			backlogs, calls := points(v.samples, sampled{s.Name, h.Name})
			t.row(h.Name, s.Name, h.Backlog, picture("Backlog of "+h.Name, backlogs, v.window, v.Time),
				picture("Calls per second of "+h.Name, calls, v.window, v.Time), h.Lag, h.LongestCall, h.Delivered, h.Panics)
		}
	}
	if shown == 0 {
		return ""
	}
	return section("handlers", "Handlers", "the last "+brief(v.window)+", and totals since they were added", t.html("handlers")+more)
}

func (v view) controllers() markup {
	if len(v.Controllers) == 0 {
		return ""
	}
	t := table{columns: []column{{"Controller", "name"}, {"State", ""}, {"In progress", "key"}, {"Waiting", "n"}, {"Oldest", "n"}, {"Delayed", "n"}, {"Succeeded", "n"}, {"Failed", "n"}, {"Terminal errors", "n"}}}
	for _, s := range v.Controllers {
		t.row(s.Name, controllerState(s), span("", running(s.Running)), s.Waiting, s.Oldest, s.Delayed, s.Succeeded, s.Failed, s.Terminal)
	}
	return section("controllers", "Controllers", sinceStart, t.html("controllers"))
}

// controllerState says whether a controller reconciles keys.
func controllerState(s controller.Status) markup {
	switch {
	case s.Stopped:
		return span("bad", "stopped")
	case s.Synced:
		return span("good", "started")
	default:
		return span("note", notStarted)
	}
}

// running returns the keys that are being reconciled, the longest-running first.
func running(all []controller.Running) string {
	const most = 3
	var keys []string
	for _, r := range all[:min(most, len(all))] {
		keys = append(keys, fmt.Sprintf("%v for %s", r.Key, brief(r.For)))
	}
	if more := len(all) - most; more > 0 {
		keys = append(keys, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(keys, ", ")
}

// details returns the facts that the tables have no place for, folded.
func (v view) details() markup {
	if len(v.Informers) == 0 {
		return ""
	}
	var all strings.Builder
	for i, s := range v.Informers {
		details := format(`<details id="informer-%s"><summary>%s: %s</summary><dl>%s</dl></details>`, i, s.Name, span("soft", summary(s.String())), v.facts(s))
		all.WriteString(string(details))
	}
	return section("details", "Details", "of each informer", markup(all.String()))
}

// facts lists the state, settings and counts of an informer.
func (v view) facts(s cache.Status) (list markup) {
	add := func(term string, description any) {
		list += format("<dt>%s</dt><dd>%s</dd>\n", term, description)
	}
	addError := func(term string, err error) {
		if err != nil {
			add(term, err)
		}
	}
	addError("Last error", s.LastError)
	if s.LastError != nil {
		add("What to do", failure.ClassOf(s.LastError).Advice())
	}
	add("Started", ago(s.Started, v.Time))
	add("resourceVersion", span("key", s.ResourceVersion))
	add("Last event", ago(s.LastEvent, v.Time))
	add("Last bookmark", fmt.Sprintf("%s, %s", ago(s.LastBookmark, v.Time), plural(int(s.Bookmarks), "bookmark")))
	add("Lists", outcomes(s.Lists))
	add("Watch-lists", outcomes(s.WatchLists))
	add("Watches that ended", outcomes(s.Watches))
	add("Relists", strings.TrimSuffix(number(s.Relists)+": "+counts(s.RelistReasons), ": "))
	addError("Last relist", s.RelistReason)
	addError("Last reconnect", s.ReconnectReason)
	for _, name := range slices.Sorted(maps.Keys(s.LeftOutObjects)) {
		add("Left out now", cmp.Or(name, unknownName)+": "+s.LeftOutObjects[name])
	}
	if more := s.LeftOut - len(s.LeftOutObjects); more > 0 {
		add("Left out now", "and "+number(more)+" more")
	}
	if n := s.Names; n != nil {
		add("Names", fmt.Sprintf("%s: %s known, %s absent, %s by metadata, %s failing",
			number(n.Followed), number(n.Known), number(n.Absent), number(n.ByMetadata), number(n.Failing)))
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
	text := number(o.Succeeded) + " succeeded"
	if failed := o.Failed.Total(); failed > 0 {
		text += fmt.Sprintf(", %s failed: %s", number(failed), counts(o.Failed))
	}
	return text
}

// counts returns the classes whose number is not zero.
func counts(c failure.Counts) string {
	var all []string
	for class, n := range c.All() {
		if n > 0 {
			all = append(all, fmt.Sprintf("%s %v", number(n), class))
		}
	}
	return strings.Join(all, ", ")
}
