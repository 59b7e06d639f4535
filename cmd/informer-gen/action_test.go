package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"
)

const checkout = "../.."

// compositeAction has the fields of action.yml that GitHub reads.
type compositeAction struct {
	Inputs  map[string]struct{ Default string }
	Outputs map[string]struct{ Value string }
	Runs    struct {
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

// An expression in a script would be replaced by its text before a shell reads it: the author of that text
// could run commands.
func TestActionHasNoExpressionInScripts(t *testing.T) {
	t.Parallel()
	read, err := readAction()
	if err != nil {
		t.Fatal(err)
	}
	if read.Runs.Using != "composite" || len(read.Runs.Steps) < 3 {
		t.Fatalf("runs: %+v", read.Runs)
	}
	for i, step := range read.Runs.Steps {
		if strings.Contains(step.Run, "${{") || step.Shell != "bash" {
			t.Errorf("step %d: %s with %s", i, step.Run, step.Shell)
		}
		if _, hasToken := step.Env["GH_TOKEN"]; hasToken != strings.Contains(step.Run, "/comment.sh") {
			t.Errorf("step %d: has the token: %t; the one that comments must, the others must not", i, hasToken)
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

// action runs the steps of action.yml in the directory of a script, as GitHub would for a pull request,
// with the given inputs name=value. The last two arguments are the expected conclusion, "success" or
// "failure", and the expected output "outcome". The file messages gets the output of the steps.
func action(ts *testscript.TestScript, _ bool, args []string) {
	read, err := readAction()
	ts.Check(err)
	root, err := filepath.Abs(checkout)
	ts.Check(err)
	values := map[string]string{"github.token": "token", "github.event.pull_request.number": ts.Getenv("NUMBER")}
	for name, input := range read.Inputs {
		values["inputs."+name] = expand(ts, input.Default, values)
	}
	for _, arg := range args[:len(args)-2] {
		name, value, _ := strings.Cut(arg, "=")
		if _, ok := read.Inputs[name]; !ok {
			ts.Fatalf("action.yml has no input %s", name)
		}
		values["inputs."+name] = strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(value)
	}
	conclusion, messages := "success", ""
	ts.Setenv("GITHUB_ACTION_PATH", root)
	ts.Setenv("GITHUB_STEP_SUMMARY", ts.MkAbs("summary"))
	ts.Check(os.WriteFile(ts.MkAbs("summary"), nil, 0o666))
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
			conclusion = "failure"
		}
		messages += ts.ReadFile("stdout") + ts.ReadFile("stderr")
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
	ts.Check(os.WriteFile(ts.MkAbs("messages"), []byte(messages), 0o666))
	outcome := expand(ts, read.Outputs["outcome"].Value, values)
	if got, want := []string{conclusion, outcome}, args[len(args)-2:]; !slices.Equal(got, want) {
		ts.Fatalf("the action ends with %v, want %v", got, want)
	}
}

var expression = regexp.MustCompile(`\$\{\{ ([\w.-]+)(?: \|\| '(.+?)')? \}\}`)

// expand replaces expressions that are names of values, with a text in place of an empty one.
// Outputs of steps that have not been set are empty.
func expand(ts *testscript.TestScript, text string, values map[string]string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string {
		parts := expression.FindStringSubmatch(found)
		value, ok := values[parts[1]]
		if !ok && !strings.HasPrefix(parts[1], "steps.") {
			ts.Fatalf("unknown value %s", found)
		}
		return cmp.Or(value, parts[2])
	})
}

// isTrue evaluates the conditions that there are.
func isTrue(ts *testscript.TestScript, condition string, values map[string]string) bool {
	switch condition {
	case "", "${{ !cancelled() }}":
		return true
	case "${{ !cancelled() && inputs.comment == 'true' && github.event.pull_request.number }}":
		return values["inputs.comment"] == "true" && values["github.event.pull_request.number"] != ""
	}
	ts.Fatalf("unknown condition %s", condition)
	return false
}

// fakeGH is GitHub's command line in scripts. It notes requests for comments in GH_LOG, prints GH_COMMENTS
// as the comments that are there, and fails with the messages GH_LIST_ERROR and GH_WRITE_ERROR. The token's
// user is GH_USER; the token of a workflow has no user.
func fakeGH() {
	method, path, body := "GET", "", ""
	for i, arg := range os.Args {
		switch {
		case arg == "--method":
			method = os.Args[i+1]
		case strings.HasPrefix(arg, "repos/"), arg == "user":
			path = arg
		case strings.HasPrefix(arg, "body=@"):
			content, err := os.ReadFile(strings.TrimPrefix(arg, "body=@"))
			if err != nil {
				panic(err)
			}
			body = string(content)
		}
	}
	output, failure := "", os.Getenv("GH_WRITE_ERROR")
	switch {
	case path == "user":
		output = os.Getenv("GH_USER")
		if output == "" {
			output, failure = `{"message":"Resource not accessible by integration"}`, "gh: Resource not accessible by integration (HTTP 403)"
		} else {
			failure = ""
		}
	case method == "GET":
		output, failure = os.Getenv("GH_COMMENTS"), os.Getenv("GH_LIST_ERROR")
	}
	if path != "user" {
		noteRequest(method, path, body)
	}
	fmt.Print(output)
	if failure != "" {
		fmt.Fprintln(os.Stderr, failure)
		os.Exit(1)
	}
}

func noteRequest(method, path, body string) {
	log, err := os.OpenFile(os.Getenv("GH_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer log.Close()
	fmt.Fprintf(log, "%s %s with %q at %s by %q\n%s", method, path, os.Getenv("GH_TOKEN"), os.Getenv("GH_HOST"), os.Getenv("AUTHOR"), body)
}

// The expression by which comment.sh finds its earlier comments, where there is a jq to try it.
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
	selection := regexp.MustCompile(`--jq '(\..+)'`).FindSubmatch(script)
	for author, want := range map[string]string{"": "3 6", "alice": "5"} {
		command := exec.CommandContext(t.Context(), program, string(selection[1]))
		command.Env = append(os.Environ(), "MARKER=<!-- informer-gen in ., 1 -->", "AUTHOR="+author)
		command.Stdin = strings.NewReader(`[
		{"id": 1, "user": {"type": "User", "login": "bob"}, "body": "<!-- informer-gen in ., 1 --> by somebody"},
		{"id": 2, "user": {"type": "Bot", "login": "actions"}, "body": "<!-- informer-gen in ./b, 1 -->"},
		{"id": 3, "user": {"type": "Bot", "login": "actions"}, "body": "<!-- informer-gen in ., 1 -->\nolder"},
		{"id": 4, "user": {"type": "Bot", "login": "actions"}, "body": "see <!-- informer-gen in ., 1 -->"},
		{"id": 5, "user": {"type": "User", "login": "alice"}, "body": "<!-- informer-gen in ., 1 -->\n"},
		{"id": 6, "user": {"type": "Bot", "login": "actions"}, "body": "<!-- informer-gen in ., 1 -->\n"}]`)
		output, err := command.CombinedOutput()
		if got := strings.Join(strings.Fields(string(output)), " "); err != nil || got != want {
			t.Errorf("author %q: selects %s, %v; want %s", author, got, err, want)
		}
	}
}
