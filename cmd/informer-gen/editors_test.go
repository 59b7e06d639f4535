package main

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// problemMatcher is the file that tells GitHub, and in the same form other tools, how the
// lines of messages are read.
type problemMatcher struct {
	ProblemMatcher []struct {
		Owner   string
		Pattern []pattern
	}
}

type pattern struct {
	Regexp                                string
	File, Line, Column, Severity, Message int
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

// docs/editors.md has the fields of each object.
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
	checkBlocks(t, page)
}

// checkBlocks checks that the commands in the page's workflows, and in steps of them, are command
// lines of this program, or of another one, and that their files exist.
func checkBlocks(t *testing.T, page string) {
	t.Helper()
	action, err := readAction()
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)\n```yaml\n(.*?)```").FindAllStringSubmatch(page, -1)
	if len(blocks) == 0 {
		t.Error("no workflow on the page")
	}
	for _, block := range blocks {
		steps, err := stepsOf([]byte(block[1]))
		if err != nil || len(steps) == 0 {
			t.Errorf("%d steps, %v in\n%s", len(steps), err, block[1])
		}
		for _, step := range steps {
			if version, ok := strings.CutPrefix(step.Uses, "informer-gen/informer-gen@"); ok {
				if version != release {
					t.Errorf("%s: want version %s", step.Uses, release)
				}
				for name := range step.With {
					if _, ok := action.Inputs[name]; !ok {
						t.Errorf("%s: action.yml has no input %s", step.Uses, name)
					}
				}
			}
			if args, ok := strings.CutPrefix(step.Run, "go tool informer-gen "); ok {
				if _, err := parse(append(strings.Fields(args), "./...")); err != nil {
					t.Errorf("%s: %v", step.Run, err)
				}
			}
			if file, ok := strings.CutPrefix(step.Run, `echo "::add-matcher::`); ok {
				if _, err := os.Stat("../../" + strings.TrimSuffix(file, `"`)); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

type workflowStep struct {
	Run, Uses string
	With      map[string]string
}

// stepsOf returns the steps of a workflow, or of a list of steps.
func stepsOf(content []byte) (steps []workflowStep, err error) {
	if !bytes.HasPrefix(content, []byte("name:")) {
		return steps, yaml.Unmarshal(content, &steps)
	}
	var workflow struct {
		Jobs map[string]struct{ Steps []workflowStep }
	}
	err = yaml.Unmarshal(content, &workflow)
	for _, job := range workflow.Jobs {
		steps = append(steps, job.Steps...)
	}
	return steps, err
}

// The task for Visual Studio Code reads what the problem matcher for GitHub does.
func TestEditorTask(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../docs/editors/tasks.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Tasks []struct{ ProblemMatcher struct{ Pattern pattern } }
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	if got, want := file.Tasks[0].ProblemMatcher.Pattern, readMatcher(t).ProblemMatcher[0].Pattern[0]; got != want {
		t.Errorf("docs/editors/tasks.json has %+v, want that of .github: %+v", got, want)
	}
}
