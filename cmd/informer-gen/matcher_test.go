package main

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// problemMatcher is the file that tells GitHub, and in the same form other tools, how the
// lines of messages are read.
type problemMatcher struct {
	ProblemMatcher []struct {
		Owner   string
		Pattern []struct {
			Regexp                                string
			File, Line, Column, Severity, Message int
		}
	}
}

func readMatcher(t *testing.T) problemMatcher {
	t.Helper()
	content, err := os.ReadFile("../../.github/informer-gen-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var matcher problemMatcher
	if err := json.Unmarshal(content, &matcher); err != nil {
		t.Fatal(err)
	}
	return matcher
}

// find returns the fields of a line, or nil if it is none.
func (m problemMatcher) find(line string) map[string]string {
	pattern := m.ProblemMatcher[0].Pattern[0]
	found := regexp.MustCompile(pattern.Regexp).FindStringSubmatch(line)
	if found == nil {
		return nil
	}
	return map[string]string{
		"file": found[pattern.File], "line": found[pattern.Line], "column": found[pattern.Column],
		"severity": found[pattern.Severity], "message": found[pattern.Message],
	}
}

// docs/editors.md has the fields of each object, and the regexp of the problem matcher.
func TestEditorsPage(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/editors.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(content)
	for heading, object := range map[string]any{"| field of a message | |": diagnostic{}, "| field of a file | |": changeRow{}} {
		_, table, _ := strings.Cut(page, heading)
		table, _, _ = strings.Cut(table, "\n\n")
		var got []string
		for row := range strings.Lines(table) {
			if cells := strings.Split(row, "|"); len(cells) == 4 {
				for _, name := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(cells[1], -1) {
					got = append(got, name[1])
				}
			}
		}
		var want []string
		for field := range reflect.TypeOf(object).Fields() {
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			want = append(want, name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: has the fields %v, want %v", heading, got, want)
		}
	}
	quoted, err := json.Marshal(readMatcher(t).ProblemMatcher[0].Pattern[0].Regexp)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page, string(quoted)) {
		t.Errorf("the page lacks the regexp of the problem matcher: %s", quoted)
	}
}
