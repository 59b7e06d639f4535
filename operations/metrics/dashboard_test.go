package metrics

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/informer-gen/informer-gen/runtime/cache/failure"
)

// dashboard is dashboard.json, as far as the tests look at it.
type dashboard struct {
	UID           string
	SchemaVersion int
	Refresh       string
	Timezone      string
	Tags          []string
	Links         []struct{ Title, URL string }
	Templating    struct {
		List []struct {
			Name, Type, AllValue string
			IncludeAll, Multi    bool
			Datasource           datasource
			Query                any
		}
	}
	Panels []panel
}

type datasource struct{ Type, UID string }

// panel is a panel, or a row with the panels that show when it is opened.
type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               datasource
	GridPos                  rectangle
	Targets                  []target
	Options                  map[string]any
	FieldConfig              struct {
		Defaults  map[string]any
		Overrides []override
	}
	Transformations []struct {
		ID      string
		Options struct{ RenameByName map[string]string }
	}
	Collapsed bool
	Panels    []panel
}

type target struct {
	RefID, Expr, LegendFormat, Format string
	Instant                           bool
}

type override struct {
	Matcher    struct{ ID, Options string }
	Properties []struct {
		ID    string
		Value any
	}
}

// rectangle is a place in the grid, which is 24 columns wide.
type rectangle struct{ X, Y, W, H int }

func (r rectangle) overlaps(o rectangle) bool {
	return r.X < o.X+o.W && o.X < r.X+r.W && r.Y < o.Y+o.H && o.Y < r.Y+r.H
}

// all are the panels, without rows.
func (d dashboard) all() []panel {
	var all []panel
	for _, p := range d.Panels {
		if p.Type == "row" {
			all = append(all, p.Panels...)
		} else {
			all = append(all, p)
		}
	}
	return all
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal(read(t, docs+"/dashboard.json"), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.all()) < 20 {
		t.Fatalf("%d panels", len(d.all()))
	}
	return d
}

// panelTypes are the options that a panel of each type takes: Grafana ignores other options without a word.
// They come from the types in Grafana's npm package @grafana/schema.
var panelTypes = map[string]struct{ options, custom []string }{
	"stat": {options: []string{
		"colorMode", "graphMode", "justifyMode", "orientation", "percentChangeColorMode", "reduceOptions",
		"showPercentChange", "text", "textMode", "wideLayout",
	}},
	"table": {
		options: []string{"cellHeight", "enablePagination", "frameIndex", "frozenColumns", "maxRowHeight", "showHeader", "showTypeIcons", "sortBy"},
		custom:  []string{"align", "cellOptions", "filterable", "footer", "hideFrom", "hideHeader", "inspect", "minWidth", "width", "wrapHeaderText", "wrapText"},
	},
	"timeseries": {
		options: []string{"legend", "orientation", "timezone", "tooltip"},
		custom: []string{
			"axisBorderShow", "axisCenteredZero", "axisColorMode", "axisGridShow", "axisLabel", "axisPlacement",
			"axisSoftMax", "axisSoftMin", "barAlignment", "barWidthFactor", "drawStyle", "fillBelowTo", "fillColor",
			"fillOpacity", "gradientMode", "hideFrom", "insertNulls", "lineColor", "lineInterpolation", "lineStyle",
			"lineWidth", "pointSize", "scaleDistribution", "showPoints", "spanNulls", "stacking", "thresholdsStyle", "transform",
		},
	},
}

// fieldOptions are the options of fields that do not depend on the type of the panel.
var fieldOptions = []string{"color", "custom", "decimals", "displayName", "links", "mappings", "max", "min", "noValue", "thresholds", "unit"}

// units are Grafana's units that the metrics have.
var units = []string{"short", "s", "bytes", "percentunit"}

// Panels have only options that Grafana knows, and overrides of fields that there are.
func TestDashboardOptions(t *testing.T) {
	for _, p := range readDashboard(t).all() {
		known, ok := panelTypes[p.Type]
		if !ok {
			t.Errorf("panel %q: type %q", p.Title, p.Type)
		}
		in := func(what string, names []string, name string) {
			if !slices.Contains(names, name) {
				t.Errorf("panel %q, a %s: no such %s: %q; there are %q", p.Title, p.Type, what, name, names)
			}
		}
		for name := range p.Options {
			in("option", known.options, name)
		}
		for name, value := range p.FieldConfig.Defaults {
			in("option of fields", fieldOptions, name)
			if name == "unit" {
				in("unit", units, value.(string))
			}
		}
		custom, _ := p.FieldConfig.Defaults["custom"].(map[string]any)
		for name := range custom {
			in("custom option of fields", known.custom, name)
		}
		fields := p.fields()
		for _, o := range p.FieldConfig.Overrides {
			if by := o.Matcher.ID; by == "byName" || by == "byFrameRefID" {
				in("field", fields, o.Matcher.Options)
			} else if by != "byType" {
				t.Errorf("panel %q: override by %q", p.Title, by)
			}
			for _, property := range o.Properties {
				if name, ok := strings.CutPrefix(property.ID, "custom."); ok {
					in("custom property of an override", known.custom, name)
				} else {
					in("property of an override", fieldOptions, name)
				}
				if property.ID == "unit" {
					in("unit", units, property.Value.(string))
				}
			}
		}
	}
}

// fields are the names by which an override may select: the columns of a table, the queries
// of a stat, and the lines of a graph.
func (p panel) fields() []string {
	var names []string
	for _, transformation := range p.Transformations {
		for _, name := range transformation.Options.RenameByName {
			names = append(names, name)
		}
	}
	for _, target := range p.Targets {
		names = append(names, target.RefID)
		values := map[string][]string{
			"{{phase}}": slices.Collect(maps.Values(phases)), "{{outcome}}": {"success", "error", "terminal"},
			"{{class}}": classes(), "relist: {{reason}}": prefixed("relist: ", classes()),
			"{{verb}}: {{outcome}}": {
				"list: success", "list: failure", "watch: success", "watch: failure", "watchlist: success", "watchlist: failure",
			},
		}
		if known, ok := values[target.LegendFormat]; ok {
			names = append(names, known...)
		} else {
			names = append(names, target.LegendFormat)
		}
	}
	return names
}

// classes are the values of the label "class".
func classes() (names []string) {
	for class := range (failure.Counts{}).All() {
		names = append(names, label(class))
	}
	return names
}

func prefixed(prefix string, names []string) (all []string) {
	for _, name := range names {
		all = append(all, prefix+name)
	}
	return all
}

// Panels do not cover each other, have identifiers of their own, and say what they show.
func TestDashboardLayout(t *testing.T) {
	d := readDashboard(t)
	ids := map[int]string{}
	check := func(p panel, shown []panel) {
		if other, taken := ids[p.ID]; taken || p.ID == 0 {
			t.Errorf("panel %q: identifier %d is that of %q", p.Title, p.ID, other)
		}
		ids[p.ID] = p.Title
		if p.GridPos.W < 1 || p.GridPos.H < 1 || p.GridPos.X+p.GridPos.W > 24 {
			t.Errorf("panel %q: outside of the grid: %+v", p.Title, p.GridPos)
		}
		for _, other := range shown {
			if p.GridPos.overlaps(other.GridPos) {
				t.Errorf("panel %q covers %q", p.Title, other.Title)
			}
		}
		if p.Type == "row" {
			return
		}
		if p.Datasource != (datasource{"prometheus", "${datasource}"}) {
			t.Errorf("panel %q: data source %+v", p.Title, p.Datasource)
		}
		if len(p.Targets) == 0 || p.Title == "" {
			t.Errorf("panel %q: %d queries", p.Title, len(p.Targets))
		}
	}
	for i, p := range d.Panels {
		check(p, d.Panels[:i])
		if p.Type != "row" && p.Description == "" {
			t.Errorf("panel %q has no description", p.Title)
		}
		if p.Type == "row" && p.Collapsed != (len(p.Panels) > 0) {
			t.Errorf("row %q: collapsed is %v, with %d panels", p.Title, p.Collapsed, len(p.Panels))
		}
		for j, nested := range p.Panels {
			check(nested, p.Panels[:j])
		}
	}
	if d.UID == "" || d.SchemaVersion < 36 || d.Timezone != "browser" || d.Refresh == "" || len(d.Tags) == 0 || len(d.Links) == 0 {
		t.Errorf("uid %q, schema %d, time zone %q, refresh %q, tags %q, links %v", d.UID, d.SchemaVersion, d.Timezone, d.Refresh, d.Tags, d.Links)
	}
}

// Each query is about what the variables select, and a variable has all values unless one is
// chosen. A label that is absent, such as the namespace outside of Kubernetes, matches too.
func TestDashboardVariables(t *testing.T) {
	d := readDashboard(t)
	var declared []string
	for _, v := range d.Templating.List {
		declared = append(declared, v.Name)
		if v.Type == "query" && (v.AllValue != ".*" || !v.IncludeAll || !v.Multi || v.Datasource.UID != "${datasource}") {
			t.Errorf("variable %q: %+v", v.Name, v)
		}
	}
	builtin := []string{"__range", "__rate_interval"}
	name := regexp.MustCompile(`\$(\w+)`)
	selector := regexp.MustCompile(`\binformergen_(\w+?)_\w+\{([^}]*)\}`)
	for title, all := range queries(t) {
		for _, query := range all {
			for _, found := range name.FindAllStringSubmatch(query, -1) {
				if !slices.Contains(declared, found[1]) && !slices.Contains(builtin, found[1]) {
					t.Errorf("panel %q: no variable %q: %s", title, found[1], query)
				}
			}
			for _, found := range selector.FindAllStringSubmatch(query, -1) {
				variables := []string{"job", "namespace", "instance", "factory", "informer"}
				if found[1] == "controller" || found[1] == "member" {
					variables = variables[:3]
				}
				for _, v := range variables {
					// What only excludes series of another selector need not repeat it.
					if !strings.Contains(found[2], v+`=~"$`+v+`"`) && !strings.Contains(query, "unless on (job, instance, factory, informer) "+found[0]) {
						t.Errorf("panel %q: %s does not select by $%s", title, found[0], v)
					}
				}
			}
		}
	}
}

// The number of lines of a graph does not grow with the informers, handlers and controllers. A graph groups
// by words of a fixed list, or by the job, or shows the top ones.
func TestDashboardGraphsAreBounded(t *testing.T) {
	fixed := []string{"phase", "class", "reason", "verb", "outcome", "state", "direction", "job"}
	grouping := regexp.MustCompile(`\bby \(([^)]*)\)`)
	graphs := 0
	for _, p := range readDashboard(t).all() {
		if p.Type != "timeseries" {
			continue
		}
		graphs++
		for _, target := range p.Targets {
			if strings.Contains(target.Expr, " and topk($top, ") {
				continue
			}
			if !strings.Contains(target.Expr, "sum") {
				t.Errorf("panel %q: a line for each series: %s", p.Title, target.Expr)
			}
			for _, found := range grouping.FindAllStringSubmatch(target.Expr, -1) {
				for label := range strings.SplitSeq(found[1], ", ") {
					if !slices.Contains(fixed, label) {
						t.Errorf("panel %q: a line for each %s: %s", p.Title, label, target.Expr)
					}
				}
			}
		}
	}
	if graphs < 10 {
		t.Errorf("%d graphs", graphs)
	}
}

// What is empty when all is well says so, and not "No data". Of tables only those with one
// query can: Grafana shows the columns of the others. Their cells without a value stay empty.
func TestDashboardSaysThatAllIsWell(t *testing.T) {
	found := 0
	for _, p := range readDashboard(t).all() {
		filtered := func(of target) bool { return strings.HasSuffix(of.Expr, " > 0") }
		unfiltered := slices.ContainsFunc(p.Targets, func(of target) bool { return !filtered(of) })
		oneTable := p.Type == "table" && len(p.Targets) == 1
		if p.Type != "stat" && !oneTable && (p.Type != "timeseries" || unfiltered) {
			continue
		}
		found++
		if p.FieldConfig.Defaults["noValue"] == nil && p.Title != "Informers by phase" {
			t.Errorf("panel %q: noValue does not say what it means that there is nothing", p.Title)
		}
		empty := func(o override) bool {
			return o.Matcher.ID == "byType" && o.Matcher.Options == "string" && o.Properties[0].ID == "noValue" && o.Properties[0].Value == ""
		}
		if oneTable && !slices.ContainsFunc(p.FieldConfig.Overrides, empty) {
			t.Errorf("panel %q: each cell without a text would have the message", p.Title)
		}
	}
	if found < 8 {
		t.Errorf("%d panels", found)
	}
}

// The list of firing alerts has the alerts of rules.yaml.
func TestDashboardAlerts(t *testing.T) {
	var want []string
	for _, alert := range alerts(t) {
		want = append(want, alert.Alert)
	}
	found := regexp.MustCompile(`ALERTS\{[^}]*alertname=~"([^"]*)"`).FindAllStringSubmatch(strings.Join(queries(t)["Alerts that fire"], "\n"), -1)
	if len(found) != 1 || found[0][1] != strings.Join(want, "|") {
		t.Errorf("alerts of the dashboard: %q, want %q", found, strings.Join(want, "|"))
	}
}
