package main

import (
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func TestParts(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][2]string{
		`+genclient:onlyVerbs: unknown verb: "lst"; expected one of list, watch; did you mean list?`: {`"lst"`, "expected one of list, watch; did you mean list?"},
		"pattern: no such directory; did you mean ./api?":                                            {"", "did you mean ./api?"},
		`+x: unexpected text: "a; b: \"; c\""; leave it out`:                                         {`"a; b: \"; c\""`, "leave it out"},
		"field: no json tag; write `json:\"a; b: c\"`":                                               {"", "write `json:\"a; b: c\"`"},
		"syntax error: expected ';', found y":                                                        {"", ""},
		"kind: Config: no list: none":                                                                {"no list: none", ""},
		`unclosed: "quote: a; b`:                                                                     {"", ""},
		"":                                                                                           {"", ""},
	} {
		if found, advice := parts(message); found != want[0] || advice != want[1] {
			t.Errorf("%s: got %q and %q, want %q", message, found, advice, want)
		}
	}
}

// What is taken for advice in the messages that the tests of generators have begins as advice
// does, and what was found is one clause.
func TestPartsOfAllMessages(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("../../generators/testdata/bad_*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	begins := regexp.MustCompile(`^(append|add|begin|choose|close|declare|decide|did you mean|embed|expected|export|give|groups have|index|keep|kinds have|leave|make|mark|move|name|remove|rename|resources have|run|set|tag|the informer takes|to add it|use|versions have|write|a tag stands)[: ]`)
	messages, withAdvice := 0, 0
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(archive.Files[len(archive.Files)-1].Data)) {
			_, message, ok := strings.Cut(strings.TrimSpace(line), ":")
			if !ok || !strings.HasPrefix(line, "error: ") && !strings.HasPrefix(line, "warning: ") {
				continue
			}
			if place := regexp.MustCompile(`^ \S+:\d+:\d+: `).FindString(message); place != "" {
				message = message[len(place):]
			}
			messages++
			switch found, advice := parts(message); {
			case advice != "" && !begins.MatchString(advice):
				t.Errorf("%s: advice %q", message, advice)
			case strings.Contains(found, "; ") && !strings.ContainsAny(found, "\"`"):
				t.Errorf("%s: found %q", message, found)
			case advice != "":
				withAdvice++
			}
		}
	}
	if messages < 100 || withAdvice < messages*3/4 {
		t.Errorf("%d messages, %d with advice; want more than 100, most of them with advice", messages, withAdvice)
	}
}

// The problem matcher must find what is printed, in the forms that text has.
func TestProblemMatcher(t *testing.T) {
	t.Parallel()
	matcher := readMatcher(t)
	at := token.Position{Filename: "api/v1/types.go", Line: 6, Column: 4}
	for _, c := range []struct {
		d    diagnostic
		want map[string]string
	}{
		{newDiagnostic(isError, at, "+x: unknown tag: no; leave it out"), map[string]string{"file": "api/v1/types.go", "line": "6", "column": "4", "severity": "", "message": "+x: unknown tag: no; leave it out"}},
		{newDiagnostic(isWarning, at, "kind: skipped"), map[string]string{"file": "api/v1/types.go", "line": "6", "column": "4", "severity": "warning", "message": "kind: skipped"}},
		{newDiagnostic(isError, token.Position{}, "wrong"), nil},
		{newDiagnostic(isInfo, token.Position{}, "9 files up to date (14ms): 1 type"), nil},
	} {
		got := matcher.find(c.d.text())
		if len(got) != len(c.want) {
			t.Errorf("%s: got %v, want %v", c.d.text(), got, c.want)
		}
		for field, want := range c.want {
			if got[field] != want {
				t.Errorf("%s: %s is %q, want %q", c.d.text(), field, got[field], want)
			}
		}
	}
}

func TestWorkflowCommand(t *testing.T) {
	t.Parallel()
	at := func(file string, line, column int) token.Position {
		return token.Position{Filename: file, Line: line, Column: column}
	}
	for _, c := range []struct {
		d    diagnostic
		want string
	}{
		{newDiagnostic(isError, at("api/v1/types.go", 6, 4), "+x: unknown: y"), "::error file=api/v1/types.go,line=6,col=4,title=informer-gen::+x: unknown: y"},
		{newDiagnostic(isWarning, at("a.go", 6, 0), "w"), "::warning file=a.go,line=6,title=informer-gen::w"},
		{newDiagnostic(isError, at("a.go", 0, 0), "e"), "::error file=a.go,title=informer-gen::e"},
		{newDiagnostic(isError, at("", 0, 0), "100%\r\n::error::x"), "::error title=informer-gen::100%25%0D%0A::error::x"},
		{newDiagnostic(isError, at("a,line=9::b%\n.go", 1, 1), "e"), "::error file=a%2Cline=9%3A%3Ab%25%0A.go,line=1,col=1,title=informer-gen::e"},
	} {
		if got := workflowCommand(c.d); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}

// Annotations are relative to the checkout, wherever in it the tool runs.
func TestInWorkspace(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("/checkout")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ workspace, dir, file, want string }{
		{root, filepath.Join(root, "operator"), "api/types.go", "operator/api/types.go"},
		{root, filepath.Join(root, "operator"), "../api/types.go", "api/types.go"},
		{root, root, filepath.Join(root, "api/types.go"), "api/types.go"},
		{root, filepath.Join(root, "../elsewhere"), "api/types.go", filepath.ToSlash(filepath.Join(root, "../elsewhere/api/types.go"))},
		{"", root, "api/types.go", "api/types.go"},
		{root, root, "", ""},
	} {
		if got := inWorkspace(c.workspace, c.dir, c.file); got != c.want {
			t.Errorf("%v: got %s", c, got)
		}
	}
}
