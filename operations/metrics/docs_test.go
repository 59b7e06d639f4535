package metrics

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"
)

const docs = "../../docs/metrics"

// emitted are the names of all metrics, with their labels.
func emitted() map[string][]string {
	names := map[string][]string{}
	for _, m := range informerMetrics {
		names[m.name] = append([]string{"factory"}, m.labels...)
	}
	for _, m := range controllerMetrics {
		names[m.name] = append([]string{"controller"}, m.labels...)
	}
	for _, m := range memberMetrics {
		names[m.name] = append([]string{"group"}, m.labels...)
	}
	return names
}

// targetLabels are labels that Prometheus adds to the metrics of what it scrapes.
var targetLabels = []string{"job", "namespace", "instance"}

var metricName = regexp.MustCompile(`\binformergen_\w+`)

// rule is an alert of rules.yaml.
type rule struct {
	Alert, Expr         string
	Labels, Annotations map[string]string
}

// alerts reads rules.yaml.
func alerts(t *testing.T) []rule {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(read(t, docs+"/rules.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	var all []rule
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) < 10 {
		t.Fatalf("%d alerts", len(all))
	}
	return all
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// queries are the queries of dashboard.json by the title of their panel.
func queries(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for _, panel := range readDashboard(t).all() {
		for _, target := range panel.Targets {
			all[panel.Title] = append(all[panel.Title], target.Expr)
		}
	}
	return all
}

// Rules, dashboard and page name only metrics and labels that there are, and the dashboard
// shows all of them.
func TestDocsNameMetricsThatExist(t *testing.T) {
	names := emitted()
	files := []string{docs + ".md", docs + "/rules.yaml", docs + "/rules_test.yaml", docs + "/dashboard.json"}
	for _, file := range files {
		for _, name := range metricName.FindAllString(string(read(t, file)), -1) {
			if names[name] == nil {
				t.Errorf("%s: %s does not exist", file, name)
			}
		}
	}
	selector := regexp.MustCompile(`\b(informergen_\w+)\{([^}]*)\}`)
	label := regexp.MustCompile(`(\w+)\s*(?:=~|!=|=)\s*"`)
	shown := strings.Join(slices.Concat(slices.Collect(maps.Values(queries(t)))...), "\n")
	checked := shown
	for _, alert := range alerts(t) {
		checked += "\n" + alert.Expr
	}
	for _, found := range selector.FindAllStringSubmatch(checked, -1) {
		for _, l := range label.FindAllStringSubmatch(found[2], -1) {
			if !slices.Contains(targetLabels, l[1]) && !slices.Contains(names[found[1]], l[1]) {
				t.Errorf("%s has no label %q; it has %q", found[1], l[1], names[found[1]])
			}
		}
	}
	for name := range names {
		if !slices.Contains(metricName.FindAllString(shown, -1), name) {
			t.Errorf("%s is not in the dashboard", name)
		}
	}
}

// Values of labels that are compared with a constant are some that the collectors emit.
func TestDocsNameValuesThatExist(t *testing.T) {
	text := string(read(t, "testdata/informers.txt")) + string(read(t, "testdata/controller.txt")) + string(read(t, "testdata/member.txt"))
	selected := regexp.MustCompile(`\b(class|phase|outcome|verb|reason|state|direction)(?:=~|!=|=)"([^"]+)"`)
	var all []string
	for _, alert := range alerts(t) {
		all = append(all, alert.Expr)
	}
	all = append(all, slices.Concat(slices.Collect(maps.Values(queries(t)))...)...)
	found := 0
	for _, query := range all {
		for _, s := range selected.FindAllStringSubmatch(query, -1) {
			for value := range strings.SplitSeq(s[2], "|") {
				found++
				if !strings.Contains(text, fmt.Sprintf("%s=%q", s[1], value)) {
					t.Errorf("%s: no series has %s=%q", query, s[1], value)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("%d comparisons", found)
	}
}

// The runbook of each alert is a section of the docs.
func TestRunbooks(t *testing.T) {
	const base = "https://github.com/informer-gen/informer-gen/blob/main/docs/"
	heading := regexp.MustCompile(`(?m)^#+ (.+)$`)
	for _, alert := range alerts(t) {
		url := alert.Annotations["runbook_url"]
		path, ok := strings.CutPrefix(url, base)
		page, anchor, ok2 := strings.Cut(path, "#")
		if !ok || !ok2 {
			t.Errorf("%s: runbook_url %q is not a section below %s", alert.Alert, url, base)
			continue
		}
		var anchors []string
		for _, h := range heading.FindAllStringSubmatch(string(read(t, "../../docs/"+page)), -1) {
			text := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(h[1]), "")
			anchors = append(anchors, strings.ReplaceAll(text, " ", "-"))
		}
		if !slices.Contains(anchors, anchor) {
			t.Errorf("%s: docs/%s has no section %q; it has %q", alert.Alert, page, anchor, anchors)
		}
	}
}

// Each alert is explained, and says what to do.
func TestAlerts(t *testing.T) {
	page := string(read(t, docs+".md"))
	for _, alert := range alerts(t) {
		if !strings.Contains(page, "| `"+alert.Alert+"` |") {
			t.Errorf("%s: not in docs/metrics.md", alert.Alert)
		}
		if alert.Annotations["summary"] == "" || alert.Annotations["description"] == "" || alert.Labels["severity"] == "" {
			t.Errorf("%s: needs a summary, a description and a severity", alert.Alert)
		}
		page = strings.ReplaceAll(page, "| `"+alert.Alert+"` |", "")
	}
	if left := regexp.MustCompile("\\| `([A-Z]\\w+)` \\|").FindStringSubmatch(page); left != nil {
		t.Errorf("docs/metrics.md explains %s, which is no alert", left[1])
	}
}

// The tests of rules.yaml, which make alerts runs, check that each alert begins and ends in the minute that
// the page says. Their causes begin after minute 59, and end after minute 119.
func TestAlertsBeginAndEnd(t *testing.T) {
	type check struct {
		Expr    string
		Time    string     `json:"eval_time"`
		Samples []struct{} `json:"exp_samples"`
	}
	var file struct {
		Tests []struct {
			Name   string
			Checks []check `json:"promql_expr_test"`
		}
	}
	if err := yaml.Unmarshal(read(t, docs+"/rules_test.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	fires := map[string]bool{} // by alert and minute
	for _, test := range file.Tests {
		for _, c := range test.Checks {
			if want := fmt.Sprintf(`ALERTS{alertname=%q, alertstate="firing"}`, test.Name); c.Expr != want {
				t.Errorf("test of %s: queries %s, want %s", test.Name, c.Expr, want)
			}
			fires[test.Name+" "+c.Time] = len(c.Samples) > 0
		}
	}
	page := string(read(t, docs+".md"))
	for _, alert := range alerts(t) {
		row := regexp.MustCompile("\\| `" + alert.Alert + "` \\| (\\d+) \\| (\\d+) \\|").FindStringSubmatch(page)
		if row == nil {
			t.Errorf("%s: docs/metrics.md does not say when it begins and ends", alert.Alert)
			continue
		}
		begins, _ := strconv.Atoi(row[1])
		ends, _ := strconv.Atoi(row[2])
		for minute, want := range map[int]bool{58 + begins: false, 59 + begins: true, 118 + ends: true, 119 + ends: false} {
			if got, tested := fires[fmt.Sprintf("%s %dm", alert.Alert, minute)]; !tested || got != want {
				t.Errorf("%s in minute %d: tested %v, fires %v, want %v", alert.Alert, minute, tested, got, want)
			}
		}
	}
}

// The table of the page has the metrics of the collectors.
func TestPage(t *testing.T) {
	const begin, end = "-run TestPage -update -->\n", "<!-- end -->"
	page := string(read(t, docs+".md"))
	before, rest, ok := strings.Cut(page, begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatal("docs/metrics.md has no place for the table")
	}
	var table strings.Builder
	table.WriteString("\n| metric | labels | |\n|---|---|---|\n")
	line := func(name, help string, labels []string) {
		fmt.Fprintf(&table, "| `%s` | `%s` | %s |\n", name, strings.Join(labels, "`, `"), strings.TrimSuffix(help, "."))
	}
	for _, m := range informerMetrics {
		line(m.name, m.help, emitted()[m.name])
	}
	for _, m := range controllerMetrics {
		line(m.name, m.help, emitted()[m.name])
	}
	for _, m := range memberMetrics {
		line(m.name, m.help, emitted()[m.name])
	}
	want := before + begin + table.String() + "\n" + end + after
	if *update {
		if err := os.WriteFile(docs+".md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want != page && !*update {
		t.Error("the table of docs/metrics.md is not that of the collectors: go test -run TestPage -update writes it")
	}
}
