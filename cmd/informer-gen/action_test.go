package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

const checkout = "../.."

// compositeAction is what GitHub reads in action.yml.
type compositeAction struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID, If, Shell, Run string
	WorkingDirectory   string `yaml:"working-directory"`
	Env                map[string]string
}

func readAction() (action compositeAction, err error) {
	content, err := os.ReadFile(filepath.Join(checkout, "action.yml"))
	if err != nil {
		return action, err
	}
	return action, yaml.Unmarshal(content, &action)
}

// An expression in a script would be replaced by its text before a shell reads it: whoever
// writes that text could run commands.
func TestActionHasNoExpressionInScripts(t *testing.T) {
	t.Parallel()
	read, err := readAction()
	if err != nil {
		t.Fatal(err)
	}
	if read.Runs.Using != "composite" || len(read.Runs.Steps) < 2 {
		t.Fatalf("runs: %+v", read.Runs)
	}
	for i, step := range read.Runs.Steps {
		if strings.Contains(step.Run, "${{") || step.Shell != "bash" {
			t.Errorf("step %d: %s with %s", i, step.Run, step.Shell)
		}
		if _, hasToken := step.Env["GH_TOKEN"]; hasToken == (step.ID == "verify") {
			t.Errorf("step %d: has the token: %t; the step that runs the tool must not, the other must", i, hasToken)
		}
	}
	workflows, err := filepath.Glob(filepath.Join(checkout, ".github/workflows/*.yml"))
	if err != nil || len(workflows) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, name := range workflows {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var workflow struct {
			Permissions map[string]string
			Jobs        map[string]struct{ Steps []actionStep }
		}
		if err := yaml.Unmarshal(content, &workflow); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if fmt.Sprint(workflow.Permissions) != "map[contents:read]" {
			t.Errorf("%s: permissions %v, want none but to read", name, workflow.Permissions)
		}
		for job, content := range workflow.Jobs {
			for _, step := range content.Steps {
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: %s: an expression in %s", name, job, step.Run)
				}
			}
		}
	}
}

// action runs the steps of action.yml in the directory of a script, as GitHub would for a pull
// request: with the inputs name=value that are given. The last argument is what its outcome
// must be, "success" or "failure".
func action(ts *testscript.TestScript, _ bool, args []string) {
	read, err := readAction()
	ts.Check(err)
	root, err := filepath.Abs(checkout)
	ts.Check(err)
	values := map[string]string{"github.token": "token", "github.event.pull_request.number": ts.Getenv("NUMBER")}
	for name, input := range read.Inputs {
		values["inputs."+name] = expand(ts, input.Default, values)
	}
	for _, arg := range args[:len(args)-1] {
		name, value, _ := strings.Cut(arg, "=")
		if _, ok := read.Inputs[name]; !ok {
			ts.Fatalf("action.yml has no input %s", name)
		}
		values["inputs."+name] = strings.ReplaceAll(value, `\n`, "\n")
	}
	outcome := "success"
	ts.Setenv("GITHUB_ACTION_PATH", root)
	ts.Setenv("RUNNER_TEMP", ts.MkAbs("."))
	for _, step := range read.Runs.Steps {
		if !isTrue(ts, step.If, values) {
			continue
		}
		output := ts.MkAbs("output")
		ts.Check(os.WriteFile(output, nil, 0o666))
		ts.Setenv("GITHUB_OUTPUT", output)
		for name, value := range step.Env {
			ts.Setenv(name, expand(ts, value, values))
		}
		directory := ts.MkAbs(expand(ts, step.WorkingDirectory, values))
		ts.Check(ts.Chdir(directory))
		if ts.Exec("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run) != nil {
			outcome = "failure"
		}
		ts.Check(ts.Chdir(ts.Getenv("WORK")))
		for name := range step.Env {
			ts.Setenv(name, "")
		}
		content, err := os.ReadFile(output)
		ts.Check(err)
		for line := range strings.Lines(string(content)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			values["steps."+step.ID+".outputs."+name] = value
		}
	}
	if want := args[len(args)-1]; outcome != want {
		ts.Fatalf("the action ends with %s, want %s", outcome, want)
	}
}

var expression = regexp.MustCompile(`\$\{\{ (.+?) \}\}`)

// expand replaces expressions that are names of values.
func expand(ts *testscript.TestScript, text string, values map[string]string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		value, ok := values[expression.FindStringSubmatch(found)[1]]
		if !ok {
			ts.Fatalf("unknown value %s", found)
		}
		return value
	})
}

// isTrue evaluates the conditions that there are.
func isTrue(ts *testscript.TestScript, condition string, values map[string]string) bool {
	switch condition {
	case "":
		return true
	case "${{ !cancelled() && inputs.comment == 'true' && github.event.pull_request.number }}":
		return values["inputs.comment"] == "true" && values["github.event.pull_request.number"] != ""
	}
	ts.Fatalf("unknown condition %s", condition)
	return false
}

// fakeGH is GitHub's command line in scripts. It notes what it is called with in GH_LOG, prints
// GH_COMMENTS as the comments that are there, and refuses to write if GH_REFUSES is set.
func fakeGH() {
	log, err := os.OpenFile(os.Getenv("GH_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	method, path, body := "GET", "", ""
	for i, arg := range os.Args {
		switch {
		case arg == "--method":
			method = os.Args[i+1]
		case strings.HasPrefix(arg, "repos/"):
			path = arg
		case strings.HasPrefix(arg, "body=@"):
			content, err := os.ReadFile(strings.TrimPrefix(arg, "body=@"))
			if err != nil {
				panic(err)
			}
			body = string(content)
		}
	}
	fmt.Fprintf(log, "%s %s with %q, marker %q\n%s", method, path, os.Getenv("GH_TOKEN"), os.Getenv("MARKER"), body)
	if method == "GET" {
		fmt.Print(os.Getenv("GH_COMMENTS"))
	} else if os.Getenv("GH_REFUSES") != "" {
		fmt.Fprintln(os.Stderr, "HTTP 403: Resource not accessible by integration")
		os.Exit(1)
	}
}

// The expression by which comment.sh finds its earlier comment, where there is a jq to try it.
func TestSelectionOfComments(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("no jq")
	}
	script, err := os.ReadFile(filepath.Join(checkout, ".github/action/comment.sh"))
	if err != nil {
		t.Fatal(err)
	}
	selection := regexp.MustCompile(`--jq '(.+)'`).FindSubmatch(script)
	command := exec.CommandContext(t.Context(), program, string(selection[1]))
	command.Env = append(os.Environ(), "MARKER=<!-- informer-gen in . -->")
	command.Stdin = strings.NewReader(`[
		{"id": 1, "user": {"type": "User"}, "body": "<!-- informer-gen in . --> by somebody"},
		{"id": 2, "user": {"type": "Bot"}, "body": "<!-- informer-gen in ./b -->"},
		{"id": 3, "user": {"type": "Bot"}, "body": "<!-- informer-gen in . -->\nolder"},
		{"id": 4, "user": {"type": "Bot"}, "body": "see <!-- informer-gen in . -->"}]`)
	output, err := command.CombinedOutput()
	if got := strings.TrimSpace(string(output)); err != nil || got != "3" {
		t.Errorf("selects %s, %v; want 3", got, err)
	}
}
